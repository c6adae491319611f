"""Lesson 11, sizing: how large a pool may be."""

from __future__ import annotations

from typing import Any

from ...examination import Examination
from ...simulations.pool import ALIGNMENT
from .. import exercise
from ..answers import number

MIB, MB = 2**20, 10**6


def room(card_mib: int, n_processes: int, context_mb: int) -> float:
    """Return the bytes that the rule leaves for a pool."""
    return 0.9 * card_mib * MIB - n_processes * context_mb * MB


@exercise("11.5", "pool_size")
def check_pool_size(exam: Examination, pool_size: Any) -> None:
    """The pool is the largest multiple of 256 bytes that leaves a tenth and all contexts free; never less than 0."""
    rng = exam.rng
    cards = [
        (int(rng.integers(15_000, 150_000)), int(rng.integers(1, 4)), int(rng.integers(200, 900))) for _ in range(40)
    ]
    cards += [(int(rng.integers(15_000, 150_000)), int(rng.integers(1, 3)), 500) for _ in range(10)]
    for card_mib, n_processes, context_mb in cards:
        left = room(card_mib, n_processes, context_mb)
        if not 2 < left % ALIGNMENT < ALIGNMENT - 2:
            continue  # too close for calculations with a point
        given = (card_mib, n_processes) if context_mb == 500 else (card_mib, n_processes, context_mb)
        found = _bytes(exam, exam.call(pool_size, *given))
        what = f"{found:,} bytes on a card of {card_mib:,} MiB, {n_processes} × {context_mb} MB for contexts"
        exam.expect("It is a multiple of 256 bytes", found % ALIGNMENT == 0, what)
        spare = card_mib * MIB - n_processes * context_mb * MB - found
        exam.expect("A tenth of the card and all contexts stay free", found <= left,
                    f"{what}: {spare / (card_mib * MIB):.2%} of the card are left")  # fmt: skip
        exam.expect(
            "256 bytes more would be too many", found + ALIGNMENT > left, f"{what}: {left - found:,.0f} bytes short"
        )
    small = int(rng.integers(100, 900))
    found = _bytes(exam, exam.call(pool_size, small, 3, 500))
    exam.expect(
        "Where nothing is left for a pool, it is 0", found == 0, f"{found:,} on a card of {small} MiB with 3 contexts"
    )


def _bytes(exam: Examination, value: Any) -> int:
    found = number(exam, value, "The result")
    exam.require("It is a whole number of bytes", found == int(found), f"it is {found}")
    return int(found)
