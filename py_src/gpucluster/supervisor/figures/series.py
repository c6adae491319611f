"""Figures over time in little memory: numbers in arrays, gaps as NaN."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

GAP = math.nan


class Series:
    """Several figures over one time scale.

    Parameters
    ----------
    names : iterable of str
        Of the figures.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.times = array("d")
        self.values: dict[str, array[float]] = {name: array("d") for name in names}

    def __len__(self) -> int:
        return len(self.times)

    def append(self, moment: float, values: Mapping[str, float | None]) -> None:
        """Add a moment. A figure that is new has gaps before; one that is missing has one now."""
        for name in values.keys() - self.values.keys():
            self.values[name] = array("d", [GAP]) * len(self.times)
        self.times.append(moment)
        for name, column in self.values.items():
            value = values.get(name)
            column.append(GAP if value is None else value)

    def forget(self, before: float, most: int) -> None:
        """Drop what is not newer, and every other moment until no more than ``most`` are left."""
        old = bisect_right(self.times, before)
        if old:
            del self.times[:old]
            for column in self.values.values():
                del column[:old]
        while len(self.times) > most:
            # The newest one stays.
            first = (len(self.times) - 1) % 2
            self.times = self.times[first::2]
            for name, column in self.values.items():
                self.values[name] = column[first::2]

    def drop_empty(self) -> None:
        """Forget figures that are nothing but gaps."""
        for name in [name for name, column in self.values.items() if all(map(math.isnan, column))]:
            del self.values[name]


def as_list(column: Sequence[float], *, digits: int | None) -> list[float | int | None]:
    """Return a column with ``None`` for gaps, rounded; to whole numbers when ``digits`` is ``None``."""
    return [None if math.isnan(value) else round(value, digits) for value in column]
