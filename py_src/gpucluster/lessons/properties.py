"""What every answer must keep to, whatever the exercise: it changes nothing that it is given, and remembers nothing."""

import hashlib
import numbers
import sys
from typing import Any

import numpy as np

UNCHANGED = "Inputs are not modified"
USABLE = "What it returns can be computed and looked at"
REPEATABLE = "Same input, same result"


def fingerprint(value: Any) -> str:
    """Return a text that differs once an array, a table or a collection of these has been changed in place.

    Of any other object it tells only which one it is.
    """
    if isinstance(value, (str, bytes, bool, numbers.Number, type(None), np.generic)):
        return repr(value)
    if type(value) is np.ndarray:
        return f"array {value.dtype.str} {value.shape} {_digest(value)}"
    if _is_table(value):
        return _of_table(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{fingerprint(key)}: {fingerprint(part)}" for key, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(fingerprint, value)) + "]"
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(map(fingerprint, value))) + "}"
    return f"object {id(value)}"


def is_plain(value: Any) -> bool:
    """Whether a value is data that is at hand: numbers, texts, arrays, tables, and collections of these."""
    if isinstance(value, dict):
        return all(is_plain(part) for part in value.values())
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(is_plain(part) for part in value)
    kinds = (str, bytes, bool, numbers.Number, type(None), np.generic, np.ndarray)
    return isinstance(value, kinds) or _is_table(value)


def can_change(value: Any) -> bool:
    """Whether a value can be changed in place."""
    inside = isinstance(value, tuple) and any(map(can_change, value))
    return inside or isinstance(value, (np.ndarray, list, dict, set)) or _is_table(value)


def alike(one: Any, other: Any) -> bool:
    """Whether two results are the same up to rounding; objects other than plain data are not compared."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(part, other[key]) for key, part in one.items())
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if _is_table(one) and _is_table(other):
        return bool(one.equals(other))
    if not is_plain(one) or not is_plain(other):
        return True
    try:
        return bool(np.allclose(one, other, rtol=1e-6, atol=1e-12, equal_nan=True))
    except (TypeError, ValueError):  # no numbers, or another shape
        return bool(np.array_equal(np.asarray(one), np.asarray(other)))


def _digest(array: Any) -> str:
    if array.dtype.hasobject:
        return hashlib.sha256(repr(array.tolist()).encode()).hexdigest()
    # A view, not a copy: checks measure memory while this runs.
    return hashlib.sha256(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data).hexdigest()


def _is_table(value: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and type(value) in (pandas.DataFrame, pandas.Series)


def _of_table(table: Any) -> str:
    import pandas as pd

    names = list(table.columns) if table.ndim == 2 else [table.name]
    types = [str(table[name].dtype) for name in names] if table.ndim == 2 and table.columns.is_unique else []
    try:
        rows = pd.util.hash_pandas_object(table).to_numpy()
    except TypeError:  # cells that hold lists and the like
        rows = np.array(table.to_numpy(), dtype=object)
    return f"table {names} {types} {_digest(rows)}"
