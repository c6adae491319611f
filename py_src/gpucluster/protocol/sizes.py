"""Memory sizes as users write them: ``"2 GiB"``, ``"80%"``, ``0.8``, ``2147483648``.

Dask and dask-cuda read ``1`` and ``"1"`` as *one byte*, ``1.5`` as one byte and refuse ``"80%"``. Here a size is either
an absolute number of bytes (at least one MiB) or a fraction strictly between 0 and 1; anything else is refused.
"""

import math
import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, WithJsonSchema

MEBIBYTE = 2**20
_MOST = 2**60
_UNITS = {
    "": 1, "b": 1,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip
_PATTERN = re.compile(r"^\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z%]*)\s*$")
_ALLOWED = "write a size such as '2 GiB' or a percentage such as '80%'"


def parse_size(value: Any) -> int | float:
    """Read a size in bytes or as a fraction of the memory it is taken from.

    `value`: ``2147483648``, ``"2 GiB"``, ``"2GB"`` (decimal), ``0.8`` or ``"80%"``; ``1.0`` or ``"100%"`` for all.
    Returns an ``int`` of at least 2**20 bytes, or a ``float`` above 0, at most 1. Raises `ValueError` for anything
    else.
    """
    given = value
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"must be a memory size: {_ALLOWED}")
    if isinstance(value, str):
        found = _PATTERN.match(value)
        if not found:
            raise ValueError(f"{value[:40]!r} is not a memory size: {_ALLOWED}")
        number, unit = float(found[1]), found[2].lower()
        if unit == "%":
            share = number / 100
            if not 0 < share <= 1:
                raise ValueError("a percentage must be between 0% and 100%")
            return share
        if unit not in _UNITS:
            raise ValueError(f"{found[2]!r} is not a unit of memory: {_ALLOWED}")
        scaled = number * _UNITS[unit]
        # Only a bare number can be a share; '0.0001 KiB' is less than a byte.
        value = number if not unit and 0 < number < 1 else math.floor(min(scaled, _MOST + 1))
    if isinstance(value, float):
        if 0 < value < 1 or (value == 1 and given is value):
            return value
        if not value.is_integer():
            raise ValueError(f"{value!r} is neither a whole number of bytes nor a fraction of at most 1: {_ALLOWED}")
        value = int(value)
    size_bytes: int = value
    if size_bytes < 0:
        raise ValueError(f"must not be negative: {_ALLOWED}")
    if size_bytes < MEBIBYTE:
        raise ValueError(f"{str(given)[:40]!r} is less than 1 MiB: {_ALLOWED}")
    if size_bytes > _MOST:
        raise ValueError("is more than any machine has")
    return size_bytes


def format_size(size_bytes: float, digits: int = 1) -> str:
    """Return a readable size in binary units: ``1.5 GiB``."""
    for unit, factor in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size_bytes >= factor:
            number = f"{size_bytes / factor:.{digits}f}".rstrip("0").removesuffix(".")
            return f"{number} {unit}"
    return f"{int(size_bytes)} B"


def rounded_down(size_bytes: int) -> str:
    """Return a readable size, rounded down, in units that ``parse_size`` reads: for limits."""
    gibibytes = size_bytes * 10 // 2**30 / 10
    return f"{gibibytes:g} GiB" if gibibytes >= 10 or size_bytes % 2**30 == 0 else f"{size_bytes // 2**20} MiB"


def told_apart(one_bytes: int, other_bytes: int) -> tuple[str, str]:
    """Return two readable sizes with enough digits to differ."""
    for digits in (1, 2, 3):
        one, other = format_size(one_bytes, digits), format_size(other_bytes, digits)
        if one != other:
            return one, other
    return f"{one_bytes} bytes", str(other_bytes)


def parse_size_or_auto(value: Any) -> int | float | str:
    """Read a size as ``parse_size`` does, or the word ``auto``."""
    if isinstance(value, str) and value.strip().lower() == "auto":
        return "auto"
    return parse_size(value)


def zero_means_none(value: Any) -> Any:
    """Return ``None`` for a limit of 0 (no limit in Dask) or ``none``; any other value unchanged."""
    if isinstance(value, str):
        return None if value.strip().lower() in {"0", "none"} else value
    return None if isinstance(value, (int, float)) and not isinstance(value, bool) and value == 0 else value


MemorySize = Annotated[
    int | float,
    BeforeValidator(parse_size),
    WithJsonSchema({"type": ["integer", "number", "string"], "x-gpucluster-widget": "memory"}),
]
"""A memory size: bytes (int ≥ 1 MiB) or a share (float above 0, at most 1) once validated."""

MemorySizeOrAuto = Annotated[
    int | float | Literal["auto"],
    BeforeValidator(parse_size_or_auto),
    WithJsonSchema(
        {"type": ["integer", "number", "string"], "x-gpucluster-widget": "memory", "x-gpucluster-auto": True}
    ),
]
"""A memory size, or ``"auto"``."""
