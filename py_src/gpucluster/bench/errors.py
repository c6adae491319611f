"""Errors of benchmarks."""

from ..protocol.errors import GPUClusterError


class BenchError(GPUClusterError):
    """Base of the errors of ``gpucluster.bench``."""

    code = "bench_error"


class NothingToMeasure(BenchError):
    """No workload is left that this cluster can run."""

    code = "nothing_to_measure"


class NotComparable(BenchError):
    """Two results have nothing in common that could be compared."""

    code = "not_comparable"
    exit_code = 2


class UnreadableResult(BenchError):
    """The file is not a result of ``gpucluster bench``."""

    code = "unreadable_result"
    exit_code = 2


class WrongResult(BenchError):
    """A workload computed a wrong result."""

    code = "wrong_result"
