"""Scheduler and workers as pods. Importing this imports neither Dask nor dask-kubernetes."""

from __future__ import annotations

from .backend import KubernetesBackend

__all__ = ["KubernetesBackend"]
