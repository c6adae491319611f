"""A kind of cluster that a site has chosen for dask-labextension."""

from __future__ import annotations

from distributed import LocalCluster


class SiteCluster(LocalCluster):
    """Like any other, and not the one that is used when nobody chooses."""
