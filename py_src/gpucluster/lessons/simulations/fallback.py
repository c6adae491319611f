"""What an accelerator without a change of code does with each call: the fast library, or the slow one.

The mechanism is real: two libraries, an object that is in one of them at a time, and copies between the two. Only the
device is missing: the fast one is a few operations of NumPy, in the memory of the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


class FastColumn:
    """The fast library: a column of numbers that can do a few things, and refuses the others."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError(f"The fast library has no {name}.")

    def abs(self) -> FastColumn:
        """Return the absolute values."""
        return FastColumn(np.abs(self.values))

    def clip(self, lower: float, upper: float) -> FastColumn:
        """Return the values within two limits."""
        return FastColumn(np.clip(self.values, lower, upper))

    def diff(self) -> FastColumn:
        """Return the differences of neighbours; the first one is missing."""
        return FastColumn(np.diff(self.values, prepend=np.nan))

    def cumsum(self) -> FastColumn:
        """Return the sums so far."""
        return FastColumn(np.cumsum(self.values))

    def mean(self) -> float:
        """Return the mean of what is not missing."""
        return float(np.nanmean(self.values))


@dataclass(frozen=True)
class Call:
    """One call, and what it took.

    Attributes
    ----------
    name : str
        Of the method.
    fast : bool
        Whether the fast library could do it.
    copied : int
        Bytes that had to change sides before.
    """

    name: str
    fast: bool
    copied: int


class Accelerated:
    """A column that looks like pandas', and is in the fast library whenever that can do what is asked.

    Parameters
    ----------
    values : array
        The column; it begins in the fast library.
    """

    def __init__(self, values: Any, calls: list[Call] | None = None) -> None:
        self._held: Any = values if isinstance(values, FastColumn) or hasattr(values, "iloc") else FastColumn(values)
        self.calls: list[Call] = [] if calls is None else calls

    @property
    def is_fast(self) -> bool:
        """Whether the column is in the fast library now."""
        return isinstance(self._held, FastColumn)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            fast = hasattr(FastColumn, name)
            copied = self._nbytes() if fast != self.is_fast else 0
            self._move(to_fast=fast)
            self.calls.append(Call(name, fast, copied))
            result = getattr(self._held, name)(*args, **kwargs)
            wrapped = isinstance(result, FastColumn) or hasattr(result, "iloc")
            return Accelerated(result, self.calls) if wrapped else result

        return call

    def _nbytes(self) -> int:
        return int(self._held.values.nbytes)

    def _move(self, *, to_fast: bool) -> None:
        if to_fast == self.is_fast:
            return
        import pandas as pd

        self._held = FastColumn(np.array(self._held)) if to_fast else pd.Series(self._held.values.copy())
