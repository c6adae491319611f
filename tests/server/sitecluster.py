"""A kind of cluster that a site has chosen for dask-labextension."""

from distributed import LocalCluster


class SiteCluster(LocalCluster):
    """A LocalCluster of another class than the default."""
