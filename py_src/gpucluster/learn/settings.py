"""Configuration of the estimators' computations."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Literal

from .communicators.communicator import Communicator
from .errors import InvalidParameter

Engine = Literal["auto", "gpucluster", "cuml"]


@dataclass(frozen=True)
class Configuration:
    """How estimators compute; see `config_context`."""

    engine: Engine = "auto"
    communicator: Communicator | Literal["workers", "mpi"] = "workers"
    """For Dask collections: whether tasks communicate over Dask's connections (``workers``) or MPI (``mpi``, on a
    cluster of dask-mpi). For arrays in memory: the communicator of the ranks that each have a part of the rows."""


_current: ContextVar[Configuration] = ContextVar("gpucluster_learn")


def configuration() -> Configuration:
    """Return the current configuration."""
    return _current.get(Configuration())


@contextmanager
def config_context(
    *, engine: Engine | None = None, communicator: Communicator | Literal["workers", "mpi"] | None = None
) -> Iterator[None]:
    """Change the configuration within a ``with`` block.

    Parameters
    ----------
    engine : {"auto", "gpucluster", "cuml"}, optional
        Source of the algorithms: ``cuml`` is ``cuml.dask``, which ``auto`` uses where the data are on GPUs and cuML is
        installed; ``gpucluster`` is this package.
    communicator : {"workers", "mpi"} or Communicator, optional
        Connects the ranks. In a program under ``mpiexec``, use ``MPICommunicator()`` and fit on each rank's own rows.

    Raises
    ------
    InvalidParameter
        No such engine or communicator.
    """
    if engine not in {None, "auto", "gpucluster", "cuml"}:
        raise InvalidParameter(f"engine: must be 'auto', 'gpucluster' or 'cuml', not {engine!r}.")
    if not isinstance(communicator, Communicator) and communicator not in ("workers", "mpi", None):
        raise InvalidParameter(f"communicator: must be 'workers', 'mpi' or a Communicator, not {communicator!r}.")
    changed = {"engine": engine, "communicator": communicator}
    now = replace(configuration(), **{name: value for name, value in changed.items() if value is not None})  # type: ignore[arg-type]
    token = _current.set(now)
    try:
        yield
    finally:
        _current.reset(token)
