"""Lesson 11, the inside of a pool: best fit, merging, and what it can still grant."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ...examination import Examination, Halt, describe
from ...simulations.pool import ALIGNMENT, OutOfDeviceMemory, Pool
from .. import exercise
from ..answers import number, several

Free = list[tuple[int, int]]
_BEST = "It takes the smallest free block that is large enough, at its beginning"
_REST = "What is left over stays free, and all other blocks as they were"
_NONE = "Where nothing fits, start is None and the free blocks are as before"
_BACK = "What is given back is free again, merged with its neighbours, in the order of the addresses"


@exercise("11.10", "order")
def check_steps(exam: Examination, order: Any) -> None:
    """Any order in which each step comes after those it needs."""
    from ...study.ordering import check_order

    check_order(exam, "11.10", order)


@exercise("11.3", "take", "give_back")
def check_pool(exam: Examination, take: Any, give_back: Any) -> None:
    """In step with a pool that follows RMM's rules: 40 random requests in each of 12 pools."""
    for number_ in range(12):
        # Sizes of few kinds, so that blocks of equal size come up; and any, so that rounding up matters.
        kinds = exam.rng.integers(1, 12, 4) * ALIGNMENT if number_ % 2 else exam.rng.integers(1, 3000, 4)
        pool = Pool(int(exam.rng.integers(16, 48)) * ALIGNMENT, None)
        pool.maximum = pool.pool_size()
        asked: dict[int, int] = {}
        free: Free = _blocks(pool)
        for _ in range(40):
            size = int(exam.rng.choice(kinds))
            if asked and exam.rng.random() < 0.45:
                address = int(exam.rng.choice(list(asked)))
                size = asked.pop(address)
                pool.deallocate(address, size)
                found = _free(exam, exam.call(give_back, list(free), address, size), "give_back returns")
                exam.expect(
                    _BACK, found == _blocks(pool), _compared(found, _blocks(pool), f"{size} bytes at {address}")
                )
            else:
                found = _taken(exam, take, free, size, pool, asked)
            if not exam.passed:
                return
            free = _blocks(pool)
    for _ in range(6):
        _expect_lowest_of_equals(exam, take)


def _expect_lowest_of_equals(exam: Examination, take: Any) -> None:
    """Blocks of two sizes, several of each: the first of the right size is taken."""
    small = int(exam.rng.integers(1, 8)) * ALIGNMENT
    sizes = [int(size) for size in exam.rng.permutation([small] * 3 + [2 * small] * 3)]
    free = [(place * 4 * small, size) for place, size in enumerate(sizes)]
    wanted = int(exam.rng.choice([small, 2 * small]))
    start, _ = several(exam, exam.call(take, list(free), wanted), "start", "free")
    true = next(start for start, size in free if size == wanted)
    exam.expect(
        "Of several equally small blocks, it takes the one with the lowest address",
        start is not None and int(start) == true,
        f"at {start} for {wanted} bytes; free: {_shown(free)}",
    )


def _taken(exam: Examination, take: Any, free: Free, size: int, pool: Pool, asked: dict[int, int]) -> Free:
    true: int | None = None
    with suppress(OutOfDeviceMemory):
        asked[true := pool.allocate(size)] = size
    result = exam.call(take, list(free), size)
    right = isinstance(result, (tuple, list)) and len(result) == 2
    exam.require("take returns two things: start and free", right, describe(result))
    start, left = result
    found = _free(exam, left, "The second thing that take returns")
    if true is None:
        exam.expect(
            _NONE, start is None and found == free, f"start {start!r} for {size} bytes, and {len(found)} blocks"
        )
        return found
    exam.require("start is None only where nothing fits", start is not None, f"{size} bytes, free: {_shown(free)}")
    place = int(number(exam, start, "start"))
    wrong = "" if place == true else f", not {true}; free: {_shown(free)}"
    exam.expect(_BEST, place == true, f"at {place} for {size} bytes{wrong}")
    if place == true:
        exam.expect(_REST, found == _blocks(pool), _compared(found, _blocks(pool), f"{size} bytes taken at {place}"))
    return found


def _blocks(pool: Pool) -> Free:
    return [(block.address, block.size) for block in pool.free]


def _free(exam: Examination, value: Any, what: str) -> Free:
    """Return a list of free blocks as pairs of whole numbers."""
    try:
        pairs = [(int(start), int(size)) for start, size in value]
    except (TypeError, ValueError):
        exam.require(f"{what} is a list of pairs (start, size)", False, describe(value))
        raise Halt from None
    return pairs


def _shown(free: Free) -> str:
    return ", ".join(map(str, free[:6])) + (" …" if len(free) > 6 else "")


def _compared(found: Free, true: Free, what: str) -> str:
    return f"{what}: right" if found == true else f"{what}: {_shown(found)} instead of {_shown(true)}"


def random_free(rng: np.random.Generator, *, unmerged: bool = False) -> tuple[Free, int, int]:
    """Return free blocks, the size of the pool and its maximum; neighbours that do not merge come from the card."""
    place, free = 0, []
    for _ in range(int(rng.integers(0, 9))):
        place += 0 if unmerged and rng.random() < 0.3 else int(rng.integers(1, 50)) * ALIGNMENT
        size = int(rng.integers(1, 200)) * ALIGNMENT
        free.append((place, size))
        place += size
    pool = place + int(rng.integers(1, 50)) * ALIGNMENT
    more = int(rng.choice([0, 0, int(rng.integers(1, 20)), int(rng.integers(100, 800))])) * ALIGNMENT
    return free, pool, pool + more


@exercise("11.4", "largest_request")
def check_largest(exam: Examination, largest_request: Any) -> None:
    """The largest request that is granted, and the share of the free memory that it cannot use."""
    for turn in range(60):
        free, pool, maximum = random_free(exam.rng, unmerged=turn % 3 == 0)
        result = several(exam, exam.call(largest_request, list(free), pool, maximum), "largest", "fragmentation")
        largest, fragmentation = (number(exam, value, "Each of the two") for value in result)
        block, total = max((size for _, size in free), default=0), sum(size for _, size in free)
        true = max(block, maximum - pool)
        what = f"free blocks: {len(free)}, the largest {block:,}, and {maximum - pool:,} bytes to grow by"
        name = "A pool that may still grow" if maximum > pool else "A pool that is as large as it may be"
        exam.expect(f"{name}: the largest request that is granted", largest == true,
                    f"{largest:,.0f}; {what}" + ("" if largest == true else f": {true:,} is right"))  # fmt: skip
        share = 1 - block / total if total else 0.0
        good = abs(fragmentation - share) < 1e-9
        exam.expect("The fragmentation is the share of the free bytes outside of the largest free block", good,
                    f"{fragmentation:.4f}" + ("" if good else f" instead of {share:.4f}, {what}"))  # fmt: skip
