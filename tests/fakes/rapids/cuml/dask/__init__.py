"""SIMULATED ``cuml.dask``; see the package above. As the real one does, importing it changes how Dask shuffles."""

import dask

dask.config.set({"dataframe.shuffle.method": "tasks"})
