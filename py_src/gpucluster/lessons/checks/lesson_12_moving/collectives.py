"""Lesson 12, collectives: what allreduce costs along a tree and around a ring."""

from __future__ import annotations

from typing import Any

from ...examination import Examination
from .. import exercise
from ..answers import number


def levels(p: int) -> int:
    """Return the rounds of a tree: log2, rounded up."""
    return (p - 1).bit_length()


def true_tree(p: int, n: float, alpha: float, beta: float) -> float:
    """Return the seconds of reduce and broadcast along a tree."""
    return 2 * levels(p) * (alpha + n / beta)


def true_ring(p: int, n: float, alpha: float, beta: float) -> float:
    """Return the seconds of 2 (p - 1) steps with a p-th of the bytes each."""
    return 2 * (p - 1) * (alpha + n / p / beta)


@exercise("12.6", "tree_seconds", "ring_seconds", "crossover")
def check_allreduce(exam: Examination, tree_seconds: Any, ring_seconds: Any, crossover: Any) -> None:
    """Both times are right for any number of ranks, and the crossover lies where they are equal."""
    ranks = [1, 2, 3, 4, 5, 8, 9, 16, 17, 64, 100, 1024, *(int(p) for p in exam.rng.integers(2, 3000, 12))]
    for p in ranks:
        alpha, beta = float(10 ** exam.rng.uniform(-6, -3)), float(10 ** exam.rng.uniform(8, 11.5))
        n = int(10 ** exam.rng.uniform(0, 9))
        for name, function, true in (
            ("The tree", tree_seconds, true_tree(p, n, alpha, beta)),
            ("The ring", ring_seconds, true_ring(p, n, alpha, beta)),
        ):
            found = number(exam, exam.call(function, p, n, alpha, beta), f"{name}'s time")
            right = abs(found - true) <= 1e-6 * true + 1e-15
            case = f"{p} ranks, {n:,} bytes, latency {alpha:.2e} s, {beta / 1e9:.3g} GB/s"
            exam.expect(f"{name} takes as long as its messages", right,
                        f"{found:.4g} s" + ("" if right else f", not {true:.4g}: {case}"))  # fmt: skip
        if p == 1:
            continue
        size = number(exam, exam.call(crossover, p, alpha, beta), "The crossover")
        if levels(p) >= p - 1:
            exam.expect(
                "Where the ring is never slower, the crossover is 0", abs(size) < 1e-6, f"{size:,.0f}: {p} ranks"
            )
            continue
        tree, ring = true_tree(p, size, alpha, beta), true_ring(p, size, alpha, beta)
        right = size > 0 and abs(tree / ring - 1) < 1e-3
        gap = (
            "both take as long" if right else f"at {size:,.0f} bytes the tree takes {tree:.3g} s, the ring {ring:.3g} s"
        )
        exam.expect("At the crossover both take the same time", right, f"{gap}: {p} ranks")
