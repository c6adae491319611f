"""Figures as short as a gauge can show them: a thousand workers' digits have to travel."""

from __future__ import annotations

SIZE_DIGITS = 5
RATE_DIGITS = 3


def rounded(value: float, digits: int = SIZE_DIGITS) -> int:
    """Return a whole number with that many significant digits."""
    whole = round(value)
    excess = len(str(abs(whole))) - digits
    return round(whole, -excess) if excess > 0 else whole


def size(value: float | None) -> int | None:
    """Return a size for a gauge; ``None`` stays."""
    return None if value is None else rounded(value)
