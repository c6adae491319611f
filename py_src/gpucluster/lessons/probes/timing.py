"""Time inside a ``with`` block: how many cores were busy, and how long each stage of a project took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

    from distributed import Client


class Busy:
    """Measure how many cores compute inside a ``with`` block.

    Each process counts the time that a core worked for it; two cores for one second are two seconds.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.

    Attributes
    ----------
    seconds : float
        Length of the block on the clock.
    notebook, workers : float
        Cores that were busy on average: 1.0 is one core from the beginning of the block to its end.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.seconds = self.notebook = self.workers = 0.0
        self._before: dict[str, float] = {}
        self._clock = self._own = 0.0

    def __enter__(self) -> Busy:
        self._before = dict(self.client.run(time.process_time))
        self._clock, self._own = time.perf_counter(), time.process_time()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = max(time.perf_counter() - self._clock, 1e-9)
        self.notebook = (time.process_time() - self._own) / self.seconds
        if kind is None:
            after: dict[str, Any] = self.client.run(time.process_time)
            used = sum(seconds - self._before.get(address, 0.0) for address, seconds in after.items())
            self.workers = used / self.seconds

    def __repr__(self) -> str:
        return (
            f"{self.seconds:.2f} s on the clock · cores busy: notebook {self.notebook:.2f}, "
            f"all workers together {self.workers:.2f}"
        )


class StageClock:
    """Add up the seconds that the cells of each stage ran.

    Attributes
    ----------
    seconds : dict
        Stage to seconds, in the order in which they first ran.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of a ``with`` block for a stage, even when it fails."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began

    def shares(self) -> dict[str, float]:
        """Return the share of each stage in all of the time; empty when nothing ran."""
        total = sum(self.seconds.values())
        return {name: seconds / total for name, seconds in self.seconds.items()} if total else {}
