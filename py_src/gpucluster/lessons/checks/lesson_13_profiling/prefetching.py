"""Lesson 13, no cluster needed: does a generator load ahead, by as much as asked for and no more?

The check waits for events, each for some seconds at most, so that an answer that never ends does not stop the notebook.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from ...examination import Examination, Halt, describe, describe_error
from .. import exercise

ORDER = "It yields the batch of each number, in the order of the numbers"
PATIENCE_SECONDS = 4.0
"""How long something that must happen is waited for."""
QUIET_SECONDS = 0.05
"""How long something that must not happen is given to happen."""


class Broken(Exception):
    """What the loader of the check raises."""


class Loader:
    """Loads batches, and knows which were begun."""

    def __init__(self, fails_at: int | None = None, seconds: float = 0.0) -> None:
        self.begun: list[int] = []
        self._fails_at = fails_at
        self._seconds = seconds
        self._changed = threading.Condition()

    def __call__(self, number: int) -> str:
        with self._changed:
            self.begun.append(number)
            self._changed.notify_all()
        time.sleep(self._seconds)
        if number == self._fails_at:
            raise Broken(f"batch {number} cannot be read")
        return f"batch {number}"

    def wait_for(self, count: int) -> bool:
        """Wait until so many were begun; return whether they were."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.begun) >= count, PATIENCE_SECONDS)


def within_patience(work: Callable[[], Any]) -> tuple[bool, Any]:
    """Run something in a thread; return whether it ended, and what it returned, or the error."""
    result: list[Any] = []

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:
            result.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(2 * PATIENCE_SECONDS)
    return bool(result), result[0] if result else None


@exercise("13.6", "prefetched", repeats=False)
def check_prefetch(exam: Examination, prefetched: Any) -> None:
    """Order, depth, nothing beyond it, errors, and empty input, for several depths."""
    _expect_all(exam, prefetched)
    for depth in (1, 2, int(exam.rng.integers(3, 5))):
        if exam.passed:
            _expect_ahead(exam, prefetched, depth)
    if exam.passed:
        _expect_error(exam, prefetched)
    if exam.passed:
        ended, found = within_patience(lambda: list(prefetched(Loader(), iter([]), 2)))
        exam.expect("Without numbers it yields nothing, and ends", ended and found == [], _said(ended, found))


def _expect_all(exam: Examination, prefetched: Any) -> None:
    numbers = [int(one) for one in exam.rng.permutation(40)[: int(exam.rng.integers(6, 12))]]
    loader = Loader(seconds=0.001)
    ended, made = within_patience(lambda: exam.call(prefetched, loader, iter(numbers), 2))
    exam.require("It comes to its end", ended, "it still waits for something")
    if isinstance(made, BaseException):
        raise made  # what the examination found, such as an error
    exam.require("It returns something to go through, as a generator does", hasattr(made, "__iter__"), describe(made))
    ended, found = within_patience(lambda: list(made))
    wanted = [f"batch {number}" for number in numbers]
    exam.expect("It comes to its end", ended, "it does" if ended else "it still waits for something")
    exam.expect(ORDER, found == wanted, _said(ended, found))
    exam.expect("Each batch is loaded once", sorted(loader.begun) == sorted(numbers), f"{len(loader.begun)} loads")


def _expect_ahead(exam: Examination, prefetched: Any, depth: int) -> None:
    count = depth + 5
    loader = Loader()
    batches: Iterator[Any] = iter(prefetched(loader, iter(range(count)), depth))
    for held in range(count):
        ended, found = within_patience(lambda: next(batches))
        exam.require(ORDER, ended and found == f"batch {held}", _said(ended, found))
        due = min(count, held + 1 + depth)
        loader.wait_for(due)
        ahead = f"{len(loader.begun) - held - 1} loaded ahead of batch {held} of {count}, with depth {depth}"
        exam.expect("While the caller holds a batch, the next ones are loaded: as many as depth says",
                    len(loader.begun) >= due, ahead)  # fmt: skip
        time.sleep(QUIET_SECONDS)
        ahead = f"{len(loader.begun) - held - 1} loaded ahead of batch {held} of {count}, with depth {depth}"
        exam.expect("No more than depth batches are loaded ahead, those in a queue or in a thread's hands included",
                    len(loader.begun) <= held + 1 + depth, ahead)  # fmt: skip
        if not exam.passed:
            within_patience(lambda: getattr(batches, "close", list)())
            raise Halt


def _expect_error(exam: Examination, prefetched: Any) -> None:
    fails = int(exam.rng.integers(2, 5))
    batches = iter(prefetched(Loader(fails_at=fails), range(8), 2))
    got: list[Any] = []
    found: Any = None
    ended = True
    while ended and not isinstance(found, BaseException) and len(got) < 9:
        ended, found = within_patience(lambda: next(batches))
        got.append(found)
    told = _said(ended, found)
    exam.expect("An error of load comes to the caller", ended and isinstance(found, Broken), told)
    exam.expect("It comes when that batch is due: those before it are yielded", len(got) == fails + 1,
                f"after {len(got) - 1} batches; batch {fails} cannot be read")  # fmt: skip


def _said(ended: bool, found: Any) -> str:
    if not ended:
        return "it waits, and does not come to an end"
    if isinstance(found, StopIteration):
        return "it ended without it"
    return describe_error(found) if isinstance(found, BaseException) else f"{found}"[:100]
