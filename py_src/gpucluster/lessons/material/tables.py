"""Tables that may live on another device."""

from __future__ import annotations

from typing import Any


def as_pandas(value: Any) -> Any:
    """Bring a small table or column to host memory as pandas; compute it first if it is lazy.

    Parameters
    ----------
    value : data frame, series or anything else
        What Dask or a worker made. Other things are returned as they are.
    """
    if hasattr(value, "dask") and hasattr(value, "compute"):
        value = value.compute()
    return value.to_pandas() if hasattr(value, "to_pandas") else value
