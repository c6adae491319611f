"""Buffers on a device that is too small for all of them: which ones go to the host, and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Buffer = dict[str, Any]
"""``name``, ``bytes``, ``last_used`` (a number that grows) and ``exposed`` of one buffer on the device."""


@dataclass(frozen=True)
class Visit:
    """One use of a buffer.

    Attributes
    ----------
    name : str
        The buffer that was used.
    fetched : bool
        Whether it had to come back from the host.
    spilled : tuple of str
        What had to leave the device for it.
    device_bytes, host_bytes : int
        What is where afterwards.
    """

    name: str
    fetched: bool
    spilled: tuple[str, ...]
    device_bytes: int
    host_bytes: int


@dataclass(frozen=True)
class SpillRun:
    """A sequence of uses, and what moved.

    Attributes
    ----------
    limit : int
        Bytes that the device may hold.
    moved_bytes : int
        What crossed between device and host, in both directions.
    """

    visits: tuple[Visit, ...]
    limit: int
    moved_bytes: int

    @property
    def fetches(self) -> int:
        """How often a buffer had to come back."""
        return sum(visit.fetched for visit in self.visits)

    @property
    def most_on_device(self) -> int:
        """The most bytes that were on the device at once."""
        return max(visit.device_bytes for visit in self.visits)


def use_buffers(
    sizes: dict[str, int],
    uses: Sequence[str],
    limit: int,
    choose: Callable[[list[Buffer], int, int], Sequence[str]],
    exposed: Sequence[str] = (),
) -> SpillRun:
    """Use buffers in this order on a device of this size; ``choose`` says which ones leave it.

    Simulated. A buffer is made on the device when it is used for the first time.

    Parameters
    ----------
    sizes : dict
        Bytes of each buffer.
    choose : callable
        Called with the buffers on the device, the bytes that are needed and the limit.
    exposed : sequence of str
        Buffers that must stay, because somebody else has their address.
    """
    device: dict[str, int] = {}
    host: set[str] = set()
    visits = []
    moved = 0
    for moment, name in enumerate(uses):
        fetched = name in host
        leaving: tuple[str, ...] = ()
        if name not in device:
            buffers = [
                {"name": one, "bytes": sizes[one], "last_used": used, "exposed": one in exposed}
                for one, used in device.items()
            ]
            leaving = tuple(one for one in choose(buffers, sizes[name], limit) if one in device)
            for one in leaving:
                del device[one]
                host.add(one)
            moved += sum(sizes[one] for one in leaving) + (sizes[name] if fetched else 0)
            host.discard(name)
        device[name] = moment
        held = {place: sum(sizes[one] for one in names) for place, names in (("device", device), ("host", host))}
        visits.append(Visit(name, fetched, leaving, held["device"], held["host"]))
    return SpillRun(tuple(visits), limit, moved)
