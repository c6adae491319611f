"""This machine and its times as distributed and Dask see and write them."""


def memory_bytes() -> int:
    """Return the memory that this process may use: ``distributed.system.MEMORY_LIMIT`` (2021.1)."""
    from distributed.system import MEMORY_LIMIT

    return int(MEMORY_LIMIT)


def n_cores() -> int:
    """Return the cores that this process may use: ``dask.system.CPU_COUNT`` (2021.1)."""
    from dask.system import CPU_COUNT

    return int(CPU_COUNT)


def clock() -> float:
    """Return the time by the clock of Dask's task stream: ``distributed.metrics.time`` (2021.1)."""
    from distributed.metrics import time

    return float(time())


def written_time(seconds: float) -> str:
    """Return a time as in Dask's reports, such as ``1.23 s`` or ``3m 20s``: ``dask.utils.format_time`` (2021.1)."""
    from dask.utils import format_time

    return str(format_time(seconds))
