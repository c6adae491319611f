"""Errors of fitting and predicting."""

import inspect
import warnings

from ..protocol.errors import GPUClusterError


class LearnError(GPUClusterError):
    """Base of the errors of ``gpucluster.learn``."""

    code = "learn_error"


class InvalidData(LearnError, ValueError):
    """X, y or weights cannot be used."""

    code = "invalid_data"


class InvalidParameter(LearnError, ValueError):
    """A parameter of an estimator is not allowed."""

    code = "invalid_parameter"


class NotSupported(LearnError, NotImplementedError):
    """The estimator does not support this with this kind of data."""

    code = "not_supported"


class InvalidOperator(LearnError, ValueError):
    """A communicator does not know how to combine messages."""

    code = "invalid_operator"


class RanksDisagree(LearnError):
    """Ranks call different collective operations."""

    code = "ranks_disagree"


class PeerLost(LearnError):
    """Another rank is gone, so this one cannot continue."""

    code = "peer_lost"
    calls: str | None = None  # The operation in which this rank waited, as in 'rank 0 calls reduce (2)'.


class WorkersLost(LearnError):
    """Workers died repeatedly during one computation."""

    code = "workers_lost"


class ClusterStopped(LearnError):
    """The cluster stopped during a computation, or cancelled it."""

    code = "cluster_stopped"


class MissingMPI(LearnError, ImportError):
    """The package mpi4py or an MPI library is not installed."""

    code = "missing_mpi"


class UnreadableModel(LearnError, ValueError):
    """The file is not a model that this package has saved."""

    code = "unreadable_model"


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line that called this package, skipping frames of this package and of scikit-learn."""
    level, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("gpucluster.", "sklearn.")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
