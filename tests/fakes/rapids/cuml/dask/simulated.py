"""The base class of the simulated estimators."""

from typing import Any, ClassVar

import dask.array as da
import numpy as np

CALLS: list[tuple[str, str, dict[str, Any]]] = []
"""Class, method and details of each call, in order."""


class Simulated:
    """Takes keyword arguments only, and only those that cuML's class knows."""

    known: ClassVar[set[str]] = set()
    label_dtypes: ClassVar[tuple[str, ...]] = ()
    takes_y: ClassVar[bool] = False

    def __init__(self, *, client: Any = None, verbose: Any = False, **kwargs: Any) -> None:
        unknown = set(kwargs) - self.known
        if unknown:
            raise TypeError(f"cuML's {type(self).__name__} does not know {sorted(unknown)}")
        assert client is not None
        self.client = client
        self.kwargs = kwargs
        self.internal_model = None
        self._note("__init__", **kwargs)

    def _note(self, method: str, **details: Any) -> None:
        CALLS.append((type(self).__name__, method, details))

    def local(self) -> Any:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Any:
        if isinstance(X, da.Array) and X.ndim == 2 and X.numblocks[1] > 1:
            raise ValueError("Input array cannot be chunked along axis 1")
        assert (y is not None) == self.takes_y, "cuML takes y here" if self.takes_y else "cuML takes no y here"
        if self.label_dtypes:
            assert str(y.dtype) in self.label_dtypes, f"labels are {y.dtype}"
        self._note("fit", X=type(X).__name__, y=None if y is None else str(getattr(y, "dtype", None)))
        self._model = self.local()
        given = [np.asarray(X.compute())] if y is None else [np.asarray(X.compute()), np.asarray(y.compute())]
        self._model.fit(*given)
        # The real one stays on a worker.
        self.internal_model = self.client.scatter(self._model)
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "_model" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._model, name)

    def _mapped(self, method: str, X: Any, *, rows: bool = True) -> Any:
        self._note(method, X=type(X).__name__)
        array = X if isinstance(X, da.Array) else X.to_dask_array()
        model = self._model
        example = getattr(model, method)(array[:2].compute() if array.numblocks[0] == 1 else array.blocks[0].compute())
        return array.map_blocks(
            lambda block: getattr(model, method)(block), dtype=example.dtype,
            **({"drop_axis": 1} if example.ndim == 1 else {"chunks": (array.chunks[0], (example.shape[1],))}),
        )  # fmt: skip

    def predict(self, X: Any, delayed: bool = True) -> Any:
        return self._mapped("predict", X)

    def predict_proba(self, X: Any, delayed: bool = True) -> Any:
        return self._mapped("predict_proba", X)

    def transform(self, X: Any, delayed: bool = True) -> Any:
        return self._mapped("transform", X)

    def inverse_transform(self, X: Any, delayed: bool = True) -> Any:
        return self._mapped("inverse_transform", X)

    def get_combined_model(self) -> Any:
        return self._model
