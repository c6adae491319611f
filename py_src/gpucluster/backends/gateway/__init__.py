"""Clusters of a Dask Gateway server: requested, scaled and shut down there, and read through its proxy."""
