"""A scheduler started outside gpucluster: shown and connected to, never stopped."""

from .backend import ExistingBackend

__all__ = ["ExistingBackend"]
