"""Lesson 12, ping-pong: messages to and fro between two ranks, with a clock that the check turns."""

from __future__ import annotations

from typing import Any

from ....protocol.plain_text import counted
from ...examination import Examination
from .. import exercise
from ..answers import number
from ..lesson_09_mpi.ranks import on_ranks, under_mpi


class _Clocked:
    """A communicator whose clock goes on with each message that this rank receives, more slowly after the first."""

    def __init__(self, comm: Any, ticks: list[float], warm_up: int) -> None:
        self._comm, self._ticks, self._warm_up = comm, ticks, warm_up
        self.now, self._received = 100.0, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._comm, name)

    def clock(self) -> float:
        """Return the time."""
        return self.now

    def _passes(self) -> None:
        # The first ones are slow: connections are made, memory is touched.
        self.now += 5.0 if self._received < self._warm_up else self._ticks[min(self._received, len(self._ticks) - 1)]
        self._received += 1

    def Recv(self, *args: Any, **kwargs: Any) -> Any:
        """Receive, and let time pass."""
        found = self._comm.Recv(*args, **kwargs)
        self._passes()
        return found

    def recv(self, *args: Any, **kwargs: Any) -> Any:
        """Receive an object, and let time pass."""
        found = self._comm.recv(*args, **kwargs)
        self._passes()
        return found


@exercise("12.2", "ping_pong")
def check_ping_pong(exam: Examination, ping_pong: Any) -> None:
    """So many messages of this size each way, as buffers; the time is that of one way, without the first ones."""
    for n_bytes, repeats, warm_up in ((1, 3, 1), (1000, 5, 2), (4096, 1, 0), (100_000, 4, 3), (17, 7, 2)):
        ticks = [float(one) for one in exam.rng.uniform(0.1, 1.0, repeats + warm_up)]

        def program(comm: Any, n: int, times: int, first: int, told: Any = ticks) -> Any:
            clocked = _Clocked(comm, told, first)
            return ping_pong(clocked, n, times, first, clocked.clock)

        run = on_ranks(exam, program, n_bytes, repeats, warm_up, n_ranks=2)
        case = f"{n_bytes:,} bytes, {counted(repeats, 'repeat')}, {warm_up} before"
        sizes = [message.bytes for message in run.messages if message.kind == "buffer"]
        pickled = [message for message in run.messages if message.kind == "pickle"]
        exam.expect("Messages are buffers, not pickles", not pickled, f"{counted(len(pickled), 'pickle')}; {case}")
        exam.expect("Each message has so many bytes", set(sizes) <= {n_bytes},
                    f"{sorted(set(sizes))[:3]} bytes; {case}")  # fmt: skip
        ways = [(message.source, message.target) for message in run.messages]
        needed = 2 * (repeats + warm_up)
        exam.expect("There is one message each way for each repeat, and for each one before", len(ways) == needed,
                    f"{len(ways)} messages, not {needed}; {case}" if len(ways) != needed else f"{needed}")  # fmt: skip
        takes_turns = all(way == ((0, 1) if place % 2 == 0 else (1, 0)) for place, way in enumerate(ways))
        exam.expect("Rank 0 begins, and rank 1 answers each message", takes_turns, case)
        exam.require("Rank 0 returns seconds", run.results[0] is not None, f"it returned None; {case}")
        found = number(exam, run.results[0], "The time")
        true = sum(ticks[warm_up:]) / repeats / 2
        right = abs(found - true) <= 1e-6 * true
        exam.expect("Rank 0 returns the seconds of one way, on average over the repeats", right,
                    f"{found:.4g}" + ("" if right else f", not {true:.4g}; {case}"))  # fmt: skip
        if not exam.passed:
            return
    import time

    found_by_ranks = under_mpi(exam, ping_pong, 1000, 10, 2, time.perf_counter, n_ranks=2)
    if found_by_ranks is not None:
        seconds = number(exam, found_by_ranks[0], "The time under mpiexec")
        exam.expect("Under mpiexec it takes some time", 0 < seconds < 60, f"{seconds:.3g} s")
