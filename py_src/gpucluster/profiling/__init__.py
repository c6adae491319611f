"""``gpucluster.profile``: what a piece of code does on a cluster, where the time goes, and what to try.

``recording`` puts recorders onto scheduler and workers, ``assembly`` makes the figures, ``bottlenecks`` the findings;
``text``, ``html``, ``figure`` and ``drawing`` show them. The package is not named 'profile' because the function is.
"""
