"""Buffers with one tag: in their order, a few at a time, whatever is done at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from gpucluster.comm.mpi.lane import MOST_AT_ONCE, Lane


class Mpi:
    """What a lane is given: remembers what was begun, and ends it at once or when asked."""

    def __init__(self, *, at_once: bool) -> None:
        self.at_once = at_once
        self.begun: list[int] = []
        self.ends: list[Callable[[], None]] = []
        self.most = 0

    def start(self, number: int) -> tuple[int, int]:
        self.begun.append(number)
        return number, number

    def follow(self, request: Any, buffer: Any, end: Callable[[], None]) -> None:
        if self.at_once:
            end()
        else:
            self.ends.append(end)
            self.most = max(self.most, len(self.ends))


@pytest.mark.parametrize("at_once", [True, False])
def test_all_are_begun_in_their_order_and_ended_once(at_once: bool) -> None:
    mpi, ended, emptied = Mpi(at_once=at_once), list[int](), list[None]()
    lane = Lane(mpi.follow, lambda: emptied.append(None))
    for number in range(3_000):
        lane.add(partial(mpi.start, number), partial(ended.append, number))
    while mpi.ends:
        mpi.ends.pop(0)()
    assert mpi.begun == ended == list(range(3_000))
    assert mpi.most <= MOST_AT_ONCE
    assert len(emptied) == (3_000 if at_once else 1)


def test_what_ends_may_add() -> None:
    mpi, ended = Mpi(at_once=True), list[int]()
    lane = Lane(mpi.follow, lambda: None)

    def again(number: int) -> None:
        ended.append(number)
        if number < 5_000:
            lane.add(partial(mpi.start, number + 1), partial(again, number + 1))

    lane.add(partial(mpi.start, 0), partial(again, 0))
    assert mpi.begun == ended == list(range(5_001))
