"""Answers the panel of dask-labextension, so that it shows our clusters, with or without its own server part."""
