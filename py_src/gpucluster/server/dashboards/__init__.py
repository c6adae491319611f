"""Dashboards of Dask, relayed by cluster id."""
