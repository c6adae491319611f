"""What wakes a rank, how long it polls before it sleeps, and the order of buffers with one tag."""

import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from gpucluster.comm.mpi.channel import MOST_AT_ONCE, Lane
from gpucluster.comm.mpi.engine import LONGEST_SECONDS, SHORTEST_SECONDS, Pacing
from gpucluster.comm.mpi.world import SECRET_BYTES, Bell


@pytest.fixture
def bells():
    made = [Bell("127.0.0.1") for _ in range(2)]
    for rank, bell in enumerate(made):
        bell.meet([one.place for one in made], b"s" * SECRET_BYTES, rank)
    yield made
    for bell in made:
        bell.close()


@pytest.mark.linux("unix sockets without a file")
def test_rank_waits_until_all_announced_envelopes_came(bells):
    first, second = bells
    first.announce(1)
    first.announce(1)
    assert not second.is_waiting, "it has received no ring yet"
    assert second.heard()
    second.took(0)
    assert second.is_waiting
    second.took(0)
    assert not second.is_waiting
    second.took(0)  # MPI was faster than the ring.
    first.announce(1)
    assert second.heard()
    assert not second.is_waiting
    second.ring(0)
    assert first.heard()
    assert not first.is_waiting


@pytest.mark.linux("unix sockets without a file")
def test_ring_is_repeated_if_there_was_no_room(bells):
    first, second = bells
    number = 0
    while not first.is_waiting:
        first.announce(1)
        number += 1
    assert number < 10_000
    while second.heard():
        pass
    for _ in range(number - 1):
        second.took(0)
    assert not second.is_waiting, "the last ring has not arrived"
    first.ring_again()
    assert not first.is_waiting
    assert second.heard()
    assert second.is_waiting
    first.close()
    second.ring(0)  # A rank that has ended is no error.
    assert second.is_waiting


@pytest.mark.linux("unix sockets without a file")
@pytest.mark.parametrize("ring", [b"", b"s" * SECRET_BYTES, b"t" * (SECRET_BYTES + 12), b"s" * (SECRET_BYTES + 13)])
def test_ring_without_the_secret_is_ignored(bells, ring):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(ring, bells[1].place.path)
    assert not bells[1].heard()
    assert not bells[1].is_waiting


def woken_after(pacing: Pacing, seconds: float, times: int = 1) -> float:
    for number in range(times):
        pacing.sleeps(10.0 * number)
        pacing.woken(10.0 * number + seconds)
    return pacing.window


def test_polling_time_grows_after_short_sleeps_and_shrinks_after_long_ones():
    pacing = Pacing()
    assert woken_after(pacing, LONGEST_SECONDS / 2) == 2 * SHORTEST_SECONDS
    assert woken_after(pacing, LONGEST_SECONDS / 2, 20) == LONGEST_SECONDS
    assert woken_after(pacing, 1.0, 10) == 0.0
    assert woken_after(pacing, LONGEST_SECONDS / 2) == SHORTEST_SECONDS, "and begins again"


def test_ring_while_polling_changes_nothing():
    pacing = Pacing()
    pacing.woken(5.0)
    assert pacing.window == SHORTEST_SECONDS
    pacing.sleeps(6.0)
    pacing.sleeps(9.0)
    pacing.woken(9.0 + LONGEST_SECONDS / 2)
    assert pacing.window == 0.0, "it has been asleep since the first time"


class Mpi:
    """Stands in for MPI: remembers what was begun, and completes it at once or on request."""

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
def test_buffers_are_started_in_order_and_completed_once(at_once):
    mpi, ended, emptied = Mpi(at_once=at_once), list[int](), list[None]()
    lane = Lane(mpi.follow, lambda: emptied.append(None))
    for number in range(3_000):
        lane.add(partial(mpi.start, number), partial(ended.append, number))
    while mpi.ends:
        mpi.ends.pop(0)()
    assert mpi.begun == ended == list(range(3_000))
    assert mpi.most <= MOST_AT_ONCE
    assert len(emptied) == (3_000 if at_once else 1)


def test_completed_buffer_may_add_another():
    mpi, ended = Mpi(at_once=True), list[int]()
    lane = Lane(mpi.follow, lambda: None)

    def again(number: int) -> None:
        ended.append(number)
        if number < 5_000:
            lane.add(partial(mpi.start, number + 1), partial(again, number + 1))

    lane.add(partial(mpi.start, 0), partial(again, 0))
    assert mpi.begun == ended == list(range(5_001))
