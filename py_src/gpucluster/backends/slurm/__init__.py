"""Workers as jobs of Slurm. Importing this imports neither Dask nor dask-jobqueue."""

from __future__ import annotations

from .backend import SlurmBackend

__all__ = ["SlurmBackend"]
