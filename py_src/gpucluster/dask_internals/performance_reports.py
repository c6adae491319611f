"""The format of Dask's performance reports."""

from __future__ import annotations


def written_time(seconds: float) -> str:
    """Return a time as Dask writes it in a performance report, such as ``"1.23 s"`` or ``"3m 20s"``.

    Relies on ``dask.utils.format_time`` (2021.1).
    """
    from dask.utils import format_time

    return str(format_time(seconds))
