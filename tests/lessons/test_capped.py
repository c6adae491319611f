"""A function that needs more than it may have ends with a real MemoryError, and takes nothing else with it."""

import os
from typing import Any

import pytest
from gpucluster.lessons.course.lesson_01_do_you_need_a_cluster.probes import capped

pytestmark = pytest.mark.processes
NOTHING: tuple[str, ...] = ()


def hold(megabytes: int) -> int:
    return len(bytearray(megabytes * 1_000_000))


@pytest.mark.linux("a peak that forgets the process before")
def test_what_fits_returns_and_says_how_much_it_used() -> None:
    large = bytearray(300_000_000)  # of the process that asks; it must not count
    outcome = capped(hold, 50, limit="100 MB", imports=NOTHING)
    assert len(large) and outcome.survived, outcome
    assert outcome.result() == 50_000_000
    assert 40e6 < outcome.peak_bytes < 100e6
    assert "returned 50000000" in repr(outcome)


@pytest.mark.linux("a limit of addresses; elsewhere what is free again at once is not noticed")
def test_what_does_not_fit_is_a_memory_error() -> None:
    outcome = capped(hold, 150, limit="100 MB", imports=NOTHING)
    assert not outcome.survived
    assert outcome.out_of_memory
    with pytest.raises(MemoryError):
        outcome.result()
    assert "MemoryError" in repr(outcome)


def test_the_cap_is_beyond_the_libraries() -> None:
    def mean(rows: int) -> float:
        import pandas as pd

        return float(pd.DataFrame({"x": range(rows)}).x.mean())

    assert capped(mean, 1001, limit="60 MB", imports=("pandas",)).result() == 500.0


def test_another_error_is_not_taken_for_lack_of_memory() -> None:
    def fail() -> None:
        raise KeyError("dep_delay")

    outcome = capped(fail, imports=NOTHING)
    assert (outcome.kind, outcome.out_of_memory) == ("KeyError", False)
    with pytest.raises(RuntimeError, match="dep_delay"):
        outcome.result()


@pytest.mark.parametrize(("way", "kind"), [("sleep", "TimeoutError"), ("die", "MemoryError")])
@pytest.mark.full
def test_a_process_that_hangs_or_dies_is_an_outcome_too(way: str, kind: str) -> None:
    def end(way: str) -> Any:
        import time

        return time.sleep(60) if way == "sleep" else os._exit(3)

    outcome = capped(end, way, imports=NOTHING, timeout=8)
    assert (outcome.survived, outcome.kind) == (False, kind)


def test_a_process_that_gets_round_the_cap_is_ended() -> None:
    def grow() -> int:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        kept = [bytearray(20_000_000) for _ in range(10)]
        import time

        time.sleep(20)
        return len(kept)

    outcome = capped(grow, limit="100 MB", imports=NOTHING, timeout=15)
    assert outcome.out_of_memory
    assert "was killed" in outcome.message
