"""The format of Dask's performance reports."""

from __future__ import annotations


def written_time(seconds: float) -> str:
    """Return a time such as ``"1.23 s"``, as in Dask's performance reports: ``dask.utils.format_time`` (2021.1)."""
    from dask.utils import format_time

    return str(format_time(seconds))
