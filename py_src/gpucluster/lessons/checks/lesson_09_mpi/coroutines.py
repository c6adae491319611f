"""Lesson 09, messages that let others have a turn while they are under way."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np

from ...examination import Examination, describe_error
from .. import exercise
from .ranks import on_ranks, under_mpi

SECONDS = 5
TURNS = 10
MOST_QUESTIONS = 2_000


class _Slow:
    """A request that is done when others have had their turns; it cannot wait."""

    def __init__(self, begun: list[Any], others: Callable[[], int], turns: int) -> None:
        self._begun, self._others, self._turns = begun, others, turns
        self.asked = 0
        begun.append(self)

    @property
    def done(self) -> bool:
        return self._others() >= self._turns

    def Test(self, status: Any = None) -> bool:
        self.asked += 1
        if self.asked > MOST_QUESTIONS:
            raise TimeoutError(f"Test was called {MOST_QUESTIONS:,} times, and others had no turn meanwhile")
        return self.done

    def test(self, status: Any = None) -> tuple[bool, None]:
        return self.Test(), None

    def Wait(self, status: Any = None) -> bool:
        raise RuntimeError("Wait blocks the event loop: nothing else can run while it waits. Use Test")

    wait = Wait


class _Stage:
    """A communicator whose requests need patience; it notes what was begun."""

    def __init__(self, turns: int) -> None:
        self.rank, self.size, self.turns = 0, 2, turns
        self.ticks = 0
        self.requests: list[Any] = []
        self.buffers: list[tuple[str, Any, int]] = []

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> _Slow:
        self.buffers.append(("Isend", _array(buf), dest))
        return _Slow(self.requests, lambda: self.ticks, self.turns)

    def Irecv(self, buf: Any, source: int = -1, tag: int = -1) -> _Slow:
        self.buffers.append(("Irecv", _array(buf), source))
        return _Slow(self.requests, lambda: self.ticks, self.turns)

    def __getattr__(self, name: str) -> Any:
        if name in {"Send", "Recv", "send", "recv", "Ssend", "Sendrecv", "sendrecv", "Probe", "probe"}:
            raise RuntimeError(f"{name} blocks the event loop: nothing else can run while it waits")
        raise AttributeError(name)


def _array(buffer: Any) -> Any:
    return buffer[0] if isinstance(buffer, (list, tuple)) and buffer else buffer


@exercise("09.9", "send_and_yield", "receive_and_yield")
def check_coroutines(exam: Examination, send_and_yield: Any, receive_and_yield: Any) -> None:
    """Other coroutines have their turn until the request is done, and then it ends."""
    for name, function in (("send_and_yield", send_and_yield), ("receive_and_yield", receive_and_yield)):
        exam.require(f"{name} is a coroutine function (async def)", inspect.iscoroutinefunction(function), "it is not")
        operation = "Isend" if function is send_and_yield else "Irecv"
        for turns in (0, TURNS, 25):
            _expect_turns(exam, name, function, operation, turns)
    array = exam.rng.normal(size=int(exam.rng.integers(20_000, 40_000)))
    run = on_ranks(exam, _exchange, send_and_yield, receive_and_yield, array, n_ranks=2)
    _expect_exchange(exam, run.results, array, "simulated ranks")
    found = under_mpi(exam, _exchange, send_and_yield, receive_and_yield, array, n_ranks=2)
    if found is not None:
        _expect_exchange(exam, found, array, "under mpiexec")


def _exchange(comm: Any, send: Any, receive: Any, array: Any) -> Any:
    """Both ranks send and receive at the same time, more than MPI keeps for a sender that does not wait."""
    got = np.zeros_like(array)

    async def both() -> None:
        await asyncio.wait_for(
            asyncio.gather(send(comm, array + comm.rank, 1 - comm.rank), receive(comm, got, 1 - comm.rank)), SECONDS
        )

    asyncio.run(both())
    return got


def _expect_exchange(exam: Examination, found: list[Any], array: Any, case: str) -> None:
    right = all(np.array_equal(got, array + (1 - rank)) for rank, got in enumerate(found))
    exam.expect("Two ranks send to each other at the same time, and both receive", right,
                f"{'equal' if right else 'not equal'}: {case}")  # fmt: skip


def _expect_turns(exam: Examination, name: str, function: Any, operation: str, turns: int) -> None:
    stage = _Stage(turns)
    array, other = exam.rng.normal(size=5), int(exam.rng.integers(1, 9))
    before = array.copy()
    error = _run(function, stage, array, other)
    exam.require(f"{name} runs without an error", error is None, f"{error}; the request needs {turns} turns")
    begun = [what for what, *_ in stage.buffers]
    exam.require(f"{name} begins one {operation}", begun == [operation], f"{', '.join(begun) or 'nothing'}")
    _, buffer, place = stage.buffers[0]
    exam.expect(f"{operation} has the array itself, and the other rank's number",
                isinstance(buffer, np.ndarray) and np.shares_memory(buffer, array) and place == other,
                f"rank {place}, expected {other}")  # fmt: skip
    exam.expect("It asks with Test until the request is done, then it ends", stage.requests[0].done
                and stage.requests[0].asked > 0,
                f"it ended after {stage.ticks} turns of others; the request needed {turns}")  # fmt: skip
    exam.expect("Another coroutine has a turn each time that the request is not done",
                stage.requests[0].asked <= turns + 3,
                f"Test was called {stage.requests[0].asked} times, others had {stage.ticks} turns")  # fmt: skip
    same = np.array_equal(array, before)
    exam.expect("It changes nothing in the array", same, "unchanged" if same else "changed")


def _run(function: Any, stage: _Stage, array: Any, other: int) -> str | None:
    """Run the learner's coroutine beside another one, in a thread: a notebook has an event loop of its own."""
    errors: list[str] = []

    async def tick() -> None:
        while True:
            stage.ticks += 1
            await asyncio.sleep(0)

    async def main() -> None:
        beside = asyncio.ensure_future(tick())
        try:
            await asyncio.wait_for(_awaited(function(stage, array, other)), SECONDS)
        finally:
            beside.cancel()

    def work() -> None:
        try:
            asyncio.run(main())
        except TimeoutError as error:
            errors.append(str(error) or f"it did not end within {SECONDS} s")
        except Exception as error:
            errors.append(describe_error(error, function))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(2 * SECONDS)
    if thread.is_alive():
        return f"it did not end within {2 * SECONDS} s"
    return errors[0] if errors else None


async def _awaited(coroutine: Coroutine[Any, Any, Any]) -> None:
    await coroutine
