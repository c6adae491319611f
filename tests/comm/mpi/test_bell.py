"""What wakes a rank says how much there is to be found."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from gpucluster.comm.mpi.world import SECRET_BYTES, Bell

pytestmark = pytest.mark.linux("unix sockets without a file")


@pytest.fixture
def bells() -> Iterator[list[Bell]]:
    """Those of two ranks."""
    made = [Bell("127.0.0.1") for _ in range(2)]
    for rank, bell in enumerate(made):
        bell.meet([one.place for one in made], b"s" * SECRET_BYTES, rank)
    yield made
    for bell in made:
        bell.close()


def test_a_rank_waits_for_as_many_envelopes_as_were_announced(bells: list[Bell]) -> None:
    first, second = bells
    first.announce(1)
    first.announce(1)
    assert not second.is_waiting, "it has heard of nothing yet"
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


def test_who_has_no_room_for_a_ring_is_rung_again(bells: list[Bell]) -> None:
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
    assert not second.is_waiting, "of the last one it has not heard"
    first.ring_again()
    assert not first.is_waiting
    assert second.heard()
    assert second.is_waiting
    first.close()
    second.ring(0)  # One that has ended is no error.
    assert second.is_waiting


@pytest.mark.parametrize("ring", [b"", b"s" * SECRET_BYTES, b"t" * (SECRET_BYTES + 12), b"s" * (SECRET_BYTES + 13)])
def test_who_does_not_know_the_secret_is_not_heard(bells: list[Bell], ring: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(ring, bells[1].place.path)
    assert not bells[1].heard()
    assert not bells[1].is_waiting
