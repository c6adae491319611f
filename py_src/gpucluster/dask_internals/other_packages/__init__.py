"""Other packages of Dask: dask-cuda, dask-gateway, dask-jobqueue, and what its operator uses."""
