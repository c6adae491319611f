"""How long a rank looks before it sleeps: longer where that pays, and not at all where it never does."""

from __future__ import annotations

from gpucluster.comm.mpi.engine import LONGEST_SECONDS, SHORTEST_SECONDS, Pacing


def woken_after(pacing: Pacing, seconds: float, times: int = 1) -> float:
    for number in range(times):
        pacing.sleeps(10.0 * number)
        pacing.woken(10.0 * number + seconds)
    return pacing.window


def test_who_is_woken_soon_looks_longer_the_next_time() -> None:
    pacing = Pacing()
    assert woken_after(pacing, LONGEST_SECONDS / 2) == 2 * SHORTEST_SECONDS
    assert woken_after(pacing, LONGEST_SECONDS / 2, 20) == LONGEST_SECONDS


def test_who_sleeps_long_does_not_look_in_vain() -> None:
    pacing = Pacing()
    woken_after(pacing, LONGEST_SECONDS / 2, 20)
    assert woken_after(pacing, 1.0, 10) == 0.0
    assert woken_after(pacing, LONGEST_SECONDS / 2) == SHORTEST_SECONDS, "and begins again"


def test_a_ring_while_it_looks_says_nothing() -> None:
    pacing = Pacing()
    pacing.woken(5.0)
    assert pacing.window == SHORTEST_SECONDS
    pacing.sleeps(6.0)
    pacing.sleeps(9.0)
    pacing.woken(9.0 + LONGEST_SECONDS / 2)
    assert pacing.window == 0.0, "it has been asleep since the first time"
