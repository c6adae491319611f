"""Arrays and tables that may live on another device, as NumPy and pandas."""

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
