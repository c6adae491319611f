"""NVML's cumulative counters of bytes over PCIe and NVLink, and throughput from counters that only ever grow.

NVML's older call for PCIe throughput blocks for 20 ms and samples; these do neither.
"""

from __future__ import annotations

from typing import Any

from ..devices.nvml import NVMLSession
from .rounding import RATE_DIGITS, rounded

_ALL_LINKS = 2**32 - 1
_FIELDS = {
    # column: (field, scope, bytes per unit)
    "pcie_sent_bytes_per_second": (197, 0, 1),
    "pcie_received_bytes_per_second": (198, 0, 1),
    "nvlink_sent_bytes_per_second": (138, _ALL_LINKS, 1024),
    "nvlink_received_bytes_per_second": (139, _ALL_LINKS, 1024),
}
# How NVML says which member of its union holds the value.
_MEMBERS = {0: "dVal", 1: "uiVal", 2: "ulVal", 3: "ullVal", 4: "sllVal", 5: "siVal", 6: "usVal"}
_WRAPS_SOON = {1, 5, 6}
"""32 bits of bytes are full in a fifth of a second of a modern bus: such a counter says nothing."""


def traffic(session: NVMLSession, handle: Any) -> dict[str, int | None]:
    """Return the counters in bytes, ``None`` for those that this GPU does not have."""
    wanted = [(field, scope) for field, scope, _ in _FIELDS.values()]
    values = session.soft("nvmlDeviceGetFieldValues", handle, wanted)
    found: dict[str, int | None] = dict.fromkeys(_FIELDS)
    if values is None:
        return found
    for value, (column, (_, _, unit)) in zip(values, _FIELDS.items(), strict=True):
        kind = int(value.valueType)
        member = _MEMBERS.get(kind)
        if value.nvmlReturn == 0 and member is not None and not (unit == 1 and kind in _WRAPS_SOON):
            found[column] = int(getattr(value.value, member)) * unit
    return found


class Rates:
    """Turns readings of counters into rates between two readings."""

    def __init__(self) -> None:
        self._before: dict[str, tuple[float, int]] = {}

    def per_second(self, counter: str, value: int | None, at: float) -> int | None:
        """Return the rate since the last reading.

        Parameters
        ----------
        counter : str
            Name of the counter.
        value : int or None
            Its reading; ``None`` when it cannot be read.
        at : float
            When it was read, in seconds.

        Returns
        -------
        int or None
            ``None`` for a first reading, and for a counter that went back: the driver was loaded anew.
        """
        if value is None:
            self._before.pop(counter, None)
            return None
        before = self._before.get(counter)
        self._before[counter] = (at, value)
        if before is None or at <= before[0] or value < before[1]:
            return None
        return rounded((value - before[1]) / (at - before[0]), RATE_DIGITS)
