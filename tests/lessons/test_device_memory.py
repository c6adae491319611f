"""The simulations of lesson 11: a pool by RMM's rules, warps, a device that spills, arrays that count."""

from typing import Any

import numpy as np
import pytest
from gpucluster.lessons.course.lesson_11_gpu_memory import simulations
from gpucluster.lessons.course.lesson_11_gpu_memory.checks import random_free, true_choice
from gpucluster.lessons.course.lesson_11_gpu_memory.probes import who_refers

K = 1024


def free(pool: simulations.Pool) -> list[tuple[int, int]]:
    return [(block.address, block.size) for block in pool.free]


def test_sizes_are_rounded_up_and_blocks_are_split() -> None:
    pool = simulations.Pool(64 * K)
    assert [pool.allocate(1), pool.allocate(256), pool.allocate(257)] == [0, 256, 512]
    assert free(pool) == [(1024, 63 * K)]
    assert pool.allocate(0) == 0
    pool.deallocate(0, 0)
    assert free(pool) == [(1024, 63 * K)]


def test_the_smallest_block_that_fits_is_taken_and_of_equals_the_first() -> None:
    pool = simulations.Pool(16 * K, 16 * K)
    addresses = [pool.allocate(size * K) for size in (4, 1, 2, 1, 2, 1, 5)]
    for number in (0, 2, 4):
        pool.deallocate(addresses[number], (4, 1, 2, 1, 2, 1, 5)[number] * K)
    assert free(pool) == [(0, 4 * K), (5 * K, 2 * K), (8 * K, 2 * K)]
    assert pool.allocate(2 * K) == 5 * K
    assert pool.allocate(1 * K) == 8 * K
    assert pool.allocate(3 * K) == 0


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1)])
def test_neighbours_merge_in_any_order(order: tuple[int, ...]) -> None:
    pool = simulations.Pool(3 * K, 3 * K)
    addresses = [pool.allocate(K) for _ in range(3)]
    for number in order:
        pool.deallocate(addresses[number], K)
    assert free(pool) == [(0, 3 * K)]


def test_pieces_from_the_card_never_merge() -> None:
    pool = simulations.Pool(8 * K, 16 * K)
    first, second = pool.allocate(8 * K), pool.allocate(8 * K)
    assert (pool.pool_size(), pool.card.requests) == (16 * K, 2)
    pool.deallocate(first, 8 * K)
    pool.deallocate(second, 8 * K)
    assert pool.free == [simulations.Block(0, 8 * K, True), simulations.Block(8 * K, 8 * K, True)]
    assert pool.pieces == [0, 8 * K]
    pool.allocate(K)
    with pytest.raises(simulations.OutOfDeviceMemory, match="failed to allocate 9.000000 KiB"):
        pool.allocate(9 * K)


def test_pieces_that_are_free_as_a_whole_go_back_before_a_pool_refuses() -> None:
    pool = simulations.Pool(8 * K, 24 * K)
    first, second, third = (pool.allocate(8 * K) for _ in range(3))
    for address in (first, third):
        pool.deallocate(address, 8 * K)
    # Seen on an H100 with RMM 26.10: what was given back in vain is gone from the pool.
    with pytest.raises(
        simulations.OutOfDeviceMemory, match="current/max/try size = 8.000000 KiB, 24.000000 KiB, 17.000000 KiB"
    ):
        pool.allocate(17 * K)
    assert (pool.pool_size(), pool.card.taken, pool.free) == (8 * K, 8 * K, [])
    assert pool.held == {second: 8 * K}
    assert pool.allocate(16 * K) == 24 * K
    with pytest.raises(
        simulations.OutOfDeviceMemory, match="current/max/try size = 24.000000 KiB, 24.000000 KiB, 32.000000 KiB"
    ):
        pool.allocate(32 * K)  # can never fit: nothing goes back for it


def test_a_pool_grows_by_half_of_what_is_left_or_by_what_is_asked() -> None:
    pool = simulations.Pool(32 * K, 128 * K)
    pool.allocate(32 * K)
    pool.allocate(24 * K)
    assert pool.pool_size() == 80 * K
    pool.allocate(40 * K)
    assert pool.pool_size() == 120 * K


def test_without_a_maximum_a_pool_doubles_until_the_card_is_full() -> None:
    pool = simulations.Pool(16 * K, card=simulations.Card(100 * K))
    for _ in range(4):
        pool.allocate(16 * K)
    assert pool.pool_size() == 64 * K
    pool.allocate(16 * K)  # 64 more are wanted, the card has 36: half of it is asked for
    assert pool.pool_size() == 96 * K
    pool.allocate(16 * K)
    with pytest.raises(simulations.OutOfDeviceMemory, match=r"failed to allocate 16.000000 KiB\): CUDA error"):
        pool.allocate(16 * K)


def test_a_refusal_has_the_words_of_rmm() -> None:
    pool = simulations.Pool(96 * K * K, 96 * K * K)
    pool.allocate(90 * K * K)
    with pytest.raises(MemoryError) as caught:
        pool.allocate(7 * K * K)
    assert str(caught.value) == (
        "Maximum pool size exceeded (failed to allocate 7.000000 MiB): Not enough room to grow, current/max/try size = "
        "96.000000 MiB, 96.000000 MiB, 7.000000 MiB"
    )


def test_sizes_that_rmm_refuses_and_memory_that_was_not_given_out() -> None:
    with pytest.raises(ValueError, match="multiples of 256"):
        simulations.Pool(1000)
    with pytest.raises(ValueError, match="exceeds the maximum"):
        simulations.Pool(2 * K, K)
    pool = simulations.Pool(K)
    with pytest.raises(ValueError, match="not allocated"):
        pool.deallocate(0, 256)


@pytest.mark.parametrize("seed", range(5))
def test_bytes_are_never_lost_and_blocks_never_overlap(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = simulations.Pool(40 * 256, 200 * 256)
    live: dict[int, int] = {}
    for _ in range(500):
        if live and rng.random() < 0.5:
            address = int(rng.choice(list(live)))
            pool.deallocate(address, live.pop(address))
        else:
            size = int(rng.integers(1, 5000))
            try:
                live[pool.allocate(size)] = size
            except simulations.OutOfDeviceMemory:
                assert all(block.size < simulations.aligned(size) for block in pool.free)
                assert pool.maximum is not None and pool.pool_size() + simulations.aligned(size) > pool.maximum
        pieces = sorted([*free(pool), *((address, simulations.aligned(size)) for address, size in live.items())])
        assert sum(size for _, size in pieces) == pool.pool_size()
        assert all(one + size <= other for (one, size), (other, _) in zip(pieces, pieces[1:], strict=False))


def test_a_replay_shows_what_was_refused_and_goes_on() -> None:
    trace = [("allocate", "a", K), ("allocate", "b", 4 * K), ("free", "b"), ("free", "a"), ("allocate", "c", 2 * K)]
    found = simulations.replay(trace, simulations.Pool(2 * K, 2 * K))
    assert [bool(step.refused) for step in found.steps] == [False, True, False, False, False]
    assert found.steps[-1].live == {"c": (0, 2 * K)}
    assert "refused: b" in repr(found)
    with pytest.raises(simulations.OutOfDeviceMemory):
        found.granted()
    assert simulations.times_asked(trace, lambda: simulations.Pool(8 * K)) == (3, 1)


def test_addresses_are_counted_from_where_the_pool_begins() -> None:
    class Elsewhere:
        """A pool that tells no free blocks, at an address of a device."""

        def __init__(self) -> None:
            self.inside = simulations.Pool(4 * K)

        def allocate(self, nbytes: int) -> int:
            return self.inside.allocate(nbytes) + 7_000_000

        def deallocate(self, address: int, nbytes: int) -> None:
            self.inside.deallocate(address - 7_000_000, nbytes)

        def pool_size(self) -> int:
            return self.inside.pool_size()

    found = simulations.replay([("allocate", "a", K), ("allocate", "b", K), ("free", "a")], Elsewhere())
    assert found.steps[1].live == {"a": (0, K), "b": (K, K)}
    assert found.steps[2].live == {"b": (K, K)}
    assert (found.steps[2].free, found.requests_to_card) == ((), None)


def test_counted_arrays_note_each_request_once() -> None:
    tracer = simulations.Tracer()
    one = tracer.array(np.arange(1000.0))
    other = one + one * 2
    assert [event[0] for event in tracer.events] == ["allocate", "allocate", "allocate", "free"]
    one += 1
    assert len(tracer.events) == 4  # in place
    np.testing.assert_array_equal(other.get(), np.arange(1000.0) * 3)
    assert float(np.sqrt(one.mean()).get()) == pytest.approx(np.sqrt(500.5))
    del one, other
    live = [event[1] for event in tracer.events if event[0] == "allocate"]
    assert sorted(live) == sorted(event[1] for event in tracer.events if event[0] == "free")


def test_warps_go_through_the_sides_that_are_taken() -> None:
    run = simulations.run_warps([True] * 32 + [False] * 31 + [True] + [False] * 3, 10, 3)
    assert [run.phases(warp) for warp in run.warps] == [[("a", 10)], [("a", 10), ("b", 3)], [("b", 3)]]
    assert run.issued == 26
    assert run.useful == pytest.approx((33 * 10 + 34 * 3) / (26 * 32))


def test_least_recently_used_fetches_every_time_in_a_round() -> None:
    sizes = {f"b{number}": 10 for number in range(5)}
    around = simulations.use_buffers(sizes, list(sizes) * 3, 45, true_choice)
    assert (around.fetches, around.most_on_device) == (10, 40)
    assert around.moved_bytes == 10 * (11 + 10)
    assert simulations.use_buffers(sizes, list(sizes) * 3, 50, true_choice).moved_bytes == 0
    kept = simulations.use_buffers(sizes, list(sizes), 20, true_choice, exposed=("b0",))
    assert [visit.spilled for visit in kept.visits] == [(), (), ("b1",), ("b2",), ("b3",)]


def test_references_are_followed_through_views_lists_and_dictionaries() -> None:
    array = np.zeros(10)
    circle: list[Any] = [array[2:4]]
    circle.append(circle)
    names = {
        "view": array[1:].T, "copy": array.copy(), "box": {"a": [circle]}, "none": None, "same": array, "text": "x",
    }  # fmt: skip
    refers, variables, target = who_refers(names, array)

    def reaches(name: str, seen: tuple[str, ...] = ()) -> bool:
        return name == target or any(reaches(one, (*seen, name)) for one in refers[name] if one not in seen)

    assert {name for name in variables if reaches(name)} == {"view", "box", "same"}


def test_random_free_blocks_are_in_order_and_inside_of_the_pool() -> None:
    rng = np.random.default_rng(5)
    for turn in range(50):
        blocks, size, maximum = random_free(rng, unmerged=bool(turn % 2))
        assert all(one + n <= other for (one, n), (other, _) in zip(blocks, blocks[1:], strict=False))
        assert not blocks or sum(blocks[-1]) <= size <= maximum
