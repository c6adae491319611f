"""Arrays and tables: names of their types, and code that works on NumPy and CuPy arrays alike.

CuPy and scikit-learn have no type annotations and Dask has few, so the names here stand in for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ..dask_internals.collections import meta

if TYPE_CHECKING:
    import dask.array as da
    import dask.dataframe as dd

Array: TypeAlias = NDArray[Any]  # In one memory: of NumPy, or of CuPy, which has the same methods.
Dtype: TypeAlias = np.dtype[Any]
DaskArray: TypeAlias = "da.Array"
DaskFrame: TypeAlias = "dd.DataFrame | dd.Series"
Collection: TypeAlias = "DaskArray | DaskFrame"  # On Dask; the blocks may belong to any library.
Data: TypeAlias = "Array | Collection"
"""Input of estimators and metrics: on Dask or in memory, also lists and pandas data frames, which have no types."""
Output: TypeAlias = Any  # What they return: an array for data in memory, a lazy array, series or frame for Dask data.
Delayed: TypeAlias = Any  # A ``dask.delayed`` object, which stands for something on a worker.
PlainModel: TypeAlias = Any  # An estimator of scikit-learn, or of cuML.
RandomState: TypeAlias = int | np.random.RandomState | None  # As scikit-learn's estimators take it.


class Namespace(Protocol):
    """The functions of ``numpy`` or ``cupy``."""

    __name__: str

    @property
    def linalg(self) -> Namespace:
        """Functions of linear algebra."""

    def __hash__(self) -> int: ...

    def __getattr__(self, name: str) -> Callable[..., Array]: ...


def array_namespace_of(array: Array) -> Namespace:
    """Return the module whose functions take this array: ``numpy``, or ``cupy`` for an array on a GPU."""
    if _library_of(array) == "cupy":
        import cupy

        return cast("Namespace", cupy)
    return cast("Namespace", np)


def is_of_numpy(array: Array) -> bool:
    """Whether an array is in this computer's memory."""
    return _library_of(array) != "cupy"


def to_numpy(array: Any) -> Array:
    """Return an array in this computer's memory; one that is there already is not copied."""
    return array.get() if _library_of(array) == "cupy" else np.asarray(array)


def on_gpus(data: Collection) -> bool:
    return _library_of(meta(data)) in {"cudf", "cupy"}


def _library_of(array: object) -> str:
    return type(array).__module__.partition(".")[0]
