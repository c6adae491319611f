"""A SIMULATION of the parts of cuML that gpucluster.learn calls, for machines without a GPU. Not cuML.

It takes the same classes, keyword arguments and data as ``cuml.dask`` 26.10 and refuses others, notes what it is called
with, and computes with scikit-learn on gathered data. It proves that parameters, data and results are translated; it
proves nothing of cuML, CUDA or speed.
"""

SIMULATED = True
