"""Arrays that count: each result of a calculation is noted as an allocation, and as freed when nobody needs it."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .pool import Event


class Tracer:
    """Notes what arrays ask of the memory of a device.

    Attributes
    ----------
    events : list of tuple
        ``("allocate", name, bytes)`` and ``("free", name)``, in order.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._numbers = count(1)

    def array(self, data: Any) -> CountedArray:
        """Return an array whose memory, and that of all results made of it, is noted here."""
        return CountedArray(np.asarray(data), self)

    def _allocate(self, nbytes: int) -> str:
        name = f"array {next(self._numbers)}"
        self.events.append(("allocate", name, nbytes))
        return name

    def _free(self, name: str) -> None:
        self.events.append(("free", name))


class CountedArray(NDArrayOperatorsMixin):
    """A NumPy array that behaves like one on a device: also a single number, such as a mean, needs memory there."""

    def __init__(self, data: Any, tracer: Tracer) -> None:
        self._data = np.asarray(data)
        self._tracer = tracer
        self._name = tracer._allocate(self._data.nbytes)

    def __del__(self) -> None:
        self._tracer._free(self._name)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.pop("out", None)
        if out is not None:
            options["out"] = tuple(one._data for one in out)
        values = [one._data if isinstance(one, CountedArray) else one for one in inputs]
        result = getattr(ufunc, method)(*values, **options)
        return out[0] if out is not None else CountedArray(result, self._tracer)

    def sum(self) -> CountedArray:
        """Return the sum: one number, on the device."""
        return CountedArray(self._data.sum(), self._tracer)

    def mean(self) -> CountedArray:
        """Return the mean: one number, on the device."""
        return CountedArray(self._data.mean(), self._tracer)

    def get(self) -> Any:
        """Return the numbers on the host."""
        return self._data

    def __len__(self) -> int:
        return len(self._data)
