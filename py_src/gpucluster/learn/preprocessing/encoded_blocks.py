"""Apply a fitted encoder of scikit-learn to each block of rows."""

from __future__ import annotations

from typing import Any

import numpy as np


def example_of(categories: list[Any], names: Any) -> Any:
    """Return a small table in which all categories occur."""
    n_rows = max(len(one) for one in categories)
    columns = [np.resize(one, n_rows) for one in categories]
    if names is not None:
        import pandas as pd

        return pd.DataFrame(dict(zip(names, columns, strict=True)))
    if len({column.dtype for column in columns}) > 1:
        columns = [column.astype(object) for column in columns]
    return np.stack(columns, axis=1)


def mapped(X: Any, model: Any, method: str, names: list[str], dtype: Any) -> Any:
    if hasattr(X, "chunks"):
        return X.map_blocks(
            _block, model, method, dtype, len(names), dtype=dtype, chunks=(X.chunks[0], (len(names),)),
            meta=np.empty((0, len(names)), dtype=dtype),
        )  # fmt: skip
    empty = X._meta.iloc[:0]
    meta = type(empty)({name: np.empty(0, dtype=dtype) for name in names}, index=empty.index)
    return X.map_partitions(_partition, model, method, dtype, names, meta=meta)


def _block(block: Any, model: Any, method: str, dtype: Any, width: int) -> Any:
    if len(block) == 0:
        return np.empty((0, width), dtype=dtype)
    return getattr(model, method)(block).astype(dtype, copy=False)


def _partition(frame: Any, model: Any, method: str, dtype: Any, names: list[str]) -> Any:
    given = frame if method == "transform" else frame.to_numpy()
    if not hasattr(model, "feature_names_in_"):
        given = frame.to_numpy()
    return type(frame)(_block(given, model, method, dtype, len(names)), index=frame.index, columns=names)
