"""Clusters of a Dask Gateway server: requested, scaled and shut down there, and read through its proxy."""

from .backend import GatewayBackend

__all__ = ["GatewayBackend"]
