"""Arrays that may live on another device."""

from __future__ import annotations

from typing import Any


def as_numpy(value: Any) -> Any:
    """Bring arrays to host memory as NumPy arrays.

    Parameters
    ----------
    value : array, or tuple, list or dict of such
        What a worker computed. NumPy arrays and plain numbers are returned as they are.

    Returns
    -------
    same structure
        Meant for the few numbers that travel to the notebook, not for the data itself.
    """
    if isinstance(value, (tuple, list)):
        return type(value)(as_numpy(item) for item in value)
    if isinstance(value, dict):
        return {key: as_numpy(item) for key, item in value.items()}
    # CuPy refuses an implicit copy to the host, and asks for this method instead.
    return value.get() if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get") else value
