"""Plain data on its way from the learner's kernel to the grader: numbers, text, arrays, tables, and lists of these.

An object of any other kind stays in the kernel; what travels is a number that stands for it. Nothing here can run code
when it is read: no pickle, no class of the learner's.
"""

import datetime
import io
import math
import sys
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

_DTYPES = set("biufcSUMm")
_MOST_DIGITS = 4_000
_DEEPEST = 60


class NotPlain(Exception):
    """What came is not what an honest kernel sends."""


@dataclass(frozen=True)
class Handle:
    """Stands for an object that stays in the kernel."""

    number: int
    kind: str
    plain: Any = None
    """What is in it, where its class is derived from one of `COLLECTIONS`."""


COLLECTIONS: tuple[type, ...] = (dict, list, tuple, set, frozenset)
"""Kinds of which a class of the learner's may be derived; their content travels, and the object stays behind."""


def valid_text(text: str) -> str:
    """Return a text that can be written as UTF-8: half of a letter becomes a number."""
    return text.encode("utf-8", "backslashreplace").decode()


def encode(value: Any, keep: Callable[[Any], int], buffers: list[bytes], depth: int = 0) -> list[Any]:
    """Return JSON data that stands for a value; arrays go to the buffers, other objects to ``keep``."""

    def inner(part: Any) -> list[Any]:
        return encode(part, keep, buffers, depth + 1)

    kind = type(value)
    if value is None or value is Ellipsis:
        return ["none" if value is None else "empty"]
    if kind is bool:
        return ["bool", value]
    if kind is int and -(10**_MOST_DIGITS) < value < 10**_MOST_DIGITS:
        return ["int", str(value)]
    if kind is float:
        return ["float", value.hex() if math.isfinite(value) else str(value)]
    if kind is complex:
        return ["complex", inner(value.real), inner(value.imag)]
    if kind is str:
        return ["str", value]
    if kind is bytes:
        buffers.append(value)
        return ["bytes", len(buffers) - 1]
    if kind in (list, tuple, set, frozenset) and depth < _DEEPEST:
        return [kind.__name__, [inner(part) for part in value]]
    if kind is dict and depth < _DEEPEST:
        return ["dict", [[inner(key), inner(part)] for key, part in value.items()]]
    if kind in (slice, range):
        return [kind.__name__, inner(value.start), inner(value.stop), inner(value.step)]
    if kind is datetime.datetime or kind is datetime.date:
        return [kind.__name__, value.isoformat()]
    if kind is datetime.timedelta:
        return ["timedelta", value.days, value.seconds, value.microseconds]
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in _DTYPES:
        plain = np.ascontiguousarray(np.asarray(value))
        buffers.append(plain.tobytes())
        shape = list(np.shape(value)) if isinstance(value, np.ndarray) else None
        return ["array", value.dtype.str, shape, len(buffers) - 1]
    table = _table(value)
    if table is not None:
        buffers.append(table)
        return ["table", type(value).__name__, inner(getattr(value, "name", None)), len(buffers) - 1]
    plain = _plain(value)
    if type(plain) in (str, int, float):
        return inner(plain)
    name = f"{kind.__module__}.{kind.__qualname__}"
    return ["object", keep(value), name, *([] if plain is None or depth >= _DEEPEST else [inner(plain)])]


def _plain(value: Any) -> Any:
    """Return what is in a value of a class derived from plain data, as its base class has it; None of others.

    A Counter is a dictionary also for the check, as it is in the notebook.
    """
    kind = type(value)
    if issubclass(kind, dict):
        return dict(OrderedDict.items(value) if issubclass(kind, OrderedDict) else dict.items(value))
    for base in COLLECTIONS:
        if issubclass(kind, base):
            return base(base.__iter__(value))  # type: ignore[attr-defined]
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        plain = int.__int__(value)
        return plain if -(10**_MOST_DIGITS) < plain < 10**_MOST_DIGITS else None
    return float.__float__(value) if issubclass(kind, float) else None


def changeable(value: Any, depth: int = 0) -> list[Any]:
    """Return what can be changed in a value, such as arrays, tables and lists, in an order that both sides agree on."""
    if type(value) is np.ndarray or type(value) is set or _is_table(value):
        return [value]
    if type(value) in (list, tuple, dict) and depth < _DEEPEST:
        parts = value.values() if type(value) is dict else value
        own = [] if type(value) is tuple else [value]
        return own + [found for part in parts for found in changeable(part, depth + 1)]
    return []


def decode(tree: Any, buffers: list[bytes], wrap: Callable[[Handle], Any], depth: int = 0) -> Any:
    """Return the value again; ``wrap`` makes something of the objects that stayed behind.

    Raises
    ------
    NotPlain
        For anything that `encode` does not make.
    """
    try:
        return _decode(tree, buffers, wrap, depth)
    except NotPlain:
        raise
    except Exception as error:  # whatever a hostile kernel sends, it is one kind of error here
        raise NotPlain(f"{type(error).__name__}: {error}"[:200]) from None


def _decode(tree: Any, buffers: list[bytes], wrap: Callable[[Handle], Any], depth: int) -> Any:
    if depth > _DEEPEST + 5:
        raise NotPlain("too deep")

    def inner(part: Any) -> Any:
        return _decode(part, buffers, wrap, depth + 1)

    kind, *rest = tree
    if kind in _SIMPLE:
        return _SIMPLE[kind](*rest)
    if kind in ("list", "tuple", "set", "frozenset"):
        made = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind]
        return made([inner(part) for part in rest[0]])
    if kind == "dict":
        return {inner(key): inner(part) for key, part in rest[0]}
    if kind == "complex":
        return complex(inner(rest[0]), inner(rest[1]))
    if kind in ("slice", "range"):
        return (slice if kind == "slice" else range)(*(inner(part) for part in rest))
    if kind == "bytes":
        return buffers[int(rest[0])]
    if kind == "array":
        return _array(rest[0], rest[1], rest[2], buffers)
    if kind == "table":
        return _from_table(str(rest[0]), inner(rest[1]), buffers[int(rest[2])])
    if kind == "object":
        plain = inner(rest[2]) if len(rest) > 2 else None
        if plain is not None and type(plain) not in COLLECTIONS:
            raise NotPlain("an object with something else in it")
        return wrap(Handle(int(rest[0]), str(rest[1])[:200], plain))
    raise NotPlain("an unknown kind of value")


def _float(text: str) -> float:
    return float(text) if text in ("nan", "inf", "-inf") else float.fromhex(text)


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS + 1:
        raise NotPlain("a number with too many digits")
    return int(text)


def _array(dtype: str, shape: list[int] | None, place: int, buffers: list[bytes]) -> Any:
    kind = np.dtype(str(dtype))
    if kind.kind not in _DTYPES or kind.hasobject or kind.itemsize == 0:
        raise NotPlain("an array of objects")
    flat = np.frombuffer(buffers[int(place)], dtype=kind).copy()
    return flat[0] if shape is None else flat.reshape([int(length) for length in shape])


def _is_table(value: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and type(value) in (pandas.DataFrame, pandas.Series)


def _table(value: Any) -> bytes | None:
    if not _is_table(value):
        return None
    import pyarrow as pa

    frame = value if type(value).__name__ == "DataFrame" else value.to_frame("value")
    try:
        table = pa.Table.from_pandas(frame)
        sink = io.BytesIO()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    except (pa.ArrowException, TypeError, ValueError):
        return None
    return sink.getvalue()


def _from_table(kind: str, name: Any, buffer: bytes) -> Any:
    import pyarrow as pa

    table = pa.ipc.open_stream(buffer).read_all()
    table.validate(full=True)
    frame = table.to_pandas()
    return frame if kind == "DataFrame" else frame["value"].rename(name)


_SIMPLE: dict[str, Callable[..., Any]] = {
    "none": lambda: None,
    "empty": lambda: Ellipsis,
    "bool": bool,
    "int": lambda text: _integer(str(text)),
    "float": lambda text: _float(str(text)),
    "str": str,
    "datetime": lambda text: datetime.datetime.fromisoformat(str(text)),
    "date": lambda text: datetime.date.fromisoformat(str(text)),
    "timedelta": lambda *parts: datetime.timedelta(*(int(part) for part in parts)),
}
