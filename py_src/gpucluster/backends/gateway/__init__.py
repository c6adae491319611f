"""Clusters of a Dask Gateway server: asked for, scaled and shut down there, and looked at through its proxy."""

from .backend import GatewayBackend

__all__ = ["GatewayBackend"]
