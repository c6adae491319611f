"""Lesson 11's simulations on a real GPU: the same requests to RMM's pool, the same branches in a kernel."""

from typing import Any

import numpy as np
import pytest
from gpucluster.lessons.course.lesson_11_gpu_memory import probes as devicepools
from gpucluster.lessons.course.lesson_11_gpu_memory import probes as viewpoints
from gpucluster.lessons.course.lesson_11_gpu_memory.simulations import Card, Event, Pool, Replay, replay

pytestmark = [pytest.mark.timeout(300), pytest.mark.filterwarnings("default")]
MIB = 2**20


def random_trace(seed: int) -> list[Event]:
    """Return requests with typical and arbitrary sizes, some of which cannot be granted."""
    rng = np.random.default_rng(seed)
    trace: list[Event] = []
    live: list[str] = []
    for number in range(200):
        if live and rng.random() < 0.48:
            trace.append(("free", live.pop(int(rng.integers(len(live))))))
        else:
            size = int(rng.choice([256 * int(rng.integers(1, 40_000)), int(rng.integers(1, 9_000_000)), 4 * MIB]))
            live.append(f"block {number}")
            trace.append(("allocate", live[-1], size))
    return trace


@pytest.mark.parametrize("seed", range(8))
def test_rmm_pool_behaves_like_simulated_one(seed: int) -> None:
    trace = random_trace(seed)
    found = devicepools.replay_on_device(trace, 64 * MIB, 64 * MIB)
    simulated = replay(trace, Pool(64 * MIB, 64 * MIB))
    assert isinstance(found, Replay)
    for real, expected in zip(found.steps, simulated.steps, strict=True):
        assert (real.live, bool(real.refused), real.pool_size) == (
            expected.live, bool(expected.refused), expected.pool_size,
        )  # fmt: skip


class AnywhereCard(Card):
    """A card that puts each new piece anywhere, as real cards do."""

    def __init__(self, total: int, rng: np.random.Generator) -> None:
        super().__init__(total)
        self._places = [int(place) * total for place in rng.permutation(1000)]

    def allocate(self, nbytes: int) -> int:
        super().allocate(nbytes)
        return self._places.pop()


def certain_sizes(trace: list[Event]) -> list[int]:
    """Return the sizes of the pool after each request until they depend on where the card puts its pieces.

    Of free blocks of the same size the pool takes the first, so the rest later differs.
    """
    runs = [replay(trace, Pool(8 * MIB, 96 * MIB))]
    for seed in range(20):
        card = AnywhereCard(96 * MIB, np.random.default_rng(seed))
        runs.append(replay(trace, Pool(8 * MIB, 96 * MIB, card)))
    certain = []
    for steps in zip(*(run.steps for run in runs), strict=True):
        sizes = {step.pool_size for step in steps}
        if len(sizes) > 1:
            break
        certain.append(sizes.pop())
    return certain


@pytest.mark.parametrize("seed", range(8))
def test_rmm_pool_grows_like_simulated_one(seed: int) -> None:
    trace = random_trace(seed)
    found = devicepools.replay_on_device(trace, 8 * MIB, 96 * MIB)
    assert isinstance(found, Replay)
    expected = certain_sizes(trace)
    assert len(set(expected)) > 2, "it grew only once"
    assert [step.pool_size for step in found.steps[: len(expected)]] == expected
    if len(expected) == len(trace):
        assert found.requests_to_card == replay(trace, Pool(8 * MIB, 96 * MIB)).requests_to_card


def test_refusal_is_memory_error() -> None:
    found = devicepools.replay_on_device([("allocate", "A", 2 * MIB)], MIB, MIB)
    assert isinstance(found, Replay)
    with pytest.raises(MemoryError, match="Not enough room to grow, current/max/try size"):
        found.granted()


def test_requests_and_branches_can_be_timed() -> None:
    times = devicepools._times_on_device(16 * MIB, 20)
    assert all(value > 0 for value in times.microseconds.values())
    mixed = np.random.default_rng(0).random(100_000) < 0.5
    found = devicepools._branches_on_device({"mixed": mixed, "sorted": np.sort(mixed)}, 500)
    assert set(found) == {"mixed", "sorted"} and all(value > 0 for value in found.values())


def test_the_driver_and_rmm_answer() -> None:
    class Worker:
        data: dict[str, Any] = {}

    found = {who: nbytes for who, nbytes, _ in viewpoints._on_device(Worker())}
    assert found["the driver"] > 0
    assert "CuPy's own pool" in found
