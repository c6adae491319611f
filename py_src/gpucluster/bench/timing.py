"""Measure the time of one workload."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .errors import WrongResult
from .result import Measurement
from .workload import Context, Outcome, Size, Workload

Say = Callable[[str], None]
_WIDTH = 24


class ProgressBar:
    """Counts steps of about the same length, and shows progress and remaining time."""

    def __init__(self, total: float, say: Say) -> None:
        self._total = max(total, 1.0)
        self._done = 0.0
        self._say = say
        self._started = time.monotonic()

    def step(self, text: str, steps: float = 1.0) -> None:
        """Count steps as done, and show what is next."""
        self._done = min(self._done + steps, self._total)
        self.show(text)

    def show(self, text: str) -> None:
        share = self._done / self._total
        full = round(share * _WIDTH)
        self._say(f"{'█' * full}{'░' * (_WIDTH - full)} {share:4.0%} {text}{self._left()}")

    def _left(self) -> str:
        elapsed = time.monotonic() - self._started
        if self._done < 1 or elapsed < 5 or self._done >= self._total:
            return ""
        left = elapsed / self._done * (self._total - self._done)
        return f", about {left:.0f} s left" if left < 120 else f", about {left / 60:.0f} min left"


@dataclass
class Prepared:
    """A workload with its data, after a warm-up run."""

    workload: Workload
    context: Context
    size: Size
    data: Any
    prepare_seconds: float
    warm_up_seconds: float
    check: float
    n_tasks: int  # Number of tasks of the scheduler between two runs.

    def seconds(self) -> float:
        """Run the workload once, check its result, and return its seconds."""
        self.context.wait_until_forgotten(self.n_tasks)
        outcome, seconds = timed(self.workload, self.data)
        require_same(self.workload, self.check, outcome.check, "two runs")
        return seconds

    def measure(self, repeats: int, step: Callable[[int], None]) -> Measurement:
        """Measure ``repeats`` runs; ``step`` is called with the number of each run before it."""
        seconds = []
        for number in range(repeats):
            step(number)
            seconds.append(self.seconds())
        parameters = self.workload.sizes[self.size]
        return Measurement(
            workload=self.workload.name,
            title=self.workload.title,
            size=self.size,
            parameters=dict(parameters),
            n_workers=self.context.n_workers,
            n_blocks=self.context.n_blocks,
            seconds=seconds,
            warm_up_seconds=self.warm_up_seconds,
            prepare_seconds=self.prepare_seconds,
            amount=None if self.workload.amount is None else self.workload.amount(parameters),
            unit=self.workload.unit,
            scales=self.workload.scales,
            check=self.check,
        )


def prepared(workload: Workload, context: Context, size: Size) -> Prepared:
    """Make the data of a workload and run it once."""
    started = time.perf_counter()
    data = workload.prepare(context, workload.sizes[size])
    made = time.perf_counter()
    n_tasks = context.n_tasks()
    outcome, seconds = timed(workload, data)
    return Prepared(workload, context, size, data, made - started, seconds, outcome.check, n_tasks)


def timed(workload: Workload, data: Any) -> tuple[Outcome, float]:
    """Run a workload, and return its result and its seconds from the call until the result is in the client."""
    started = time.perf_counter()
    outcome = workload.run(data)
    seconds = time.perf_counter() - started
    return outcome, seconds if outcome.seconds is None else outcome.seconds


def require_same(workload: Workload, one: float, other: float, whose: str) -> None:
    """Raise `WrongResult` where results differ by more than the workload's tolerance."""
    if not abs(one - other) <= workload.tolerance * max(abs(one), abs(other), 1e-300):
        raise WrongResult(
            f"The results of {whose} differ: {one!r} and {other!r}. Timings are only valid if the results agree."
        )
