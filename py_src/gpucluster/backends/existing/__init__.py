"""A scheduler that somebody else has started: shown and connected to, never stopped."""

from .backend import ExistingBackend

__all__ = ["ExistingBackend"]
