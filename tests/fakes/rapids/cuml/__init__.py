"""A SIMULATION of the parts of cuML that gpucluster.learn calls, for machines without a GPU. Not cuML.

It has the same classes and accepts the same keyword arguments and data as ``cuml.dask`` 26.10, records its calls, and
computes with scikit-learn on gathered data. It tests that parameters, data and results are translated, but nothing of
cuML, CUDA or speed.
"""

SIMULATED = True
