"""Lesson 01, memory: bisection with few questions, and an answer that leaves the table on the workers."""

from __future__ import annotations

import math
from typing import Any

from ...examination import Examination, describe
from ...probes.transfers import Traffic
from .. import exercise
from ..answers import number, several


@exercise("01.4", "largest_scale", "dask_answer")
def check_largest(exam: Examination, largest_scale: Any, dask_answer: Any) -> None:
    """The search finds the border with few questions; rows and mean are right, and the table stays where it is."""
    for highest in (1, 2, 8, int(exam.rng.integers(20, 100)), int(exam.rng.integers(500, 2000))):
        for border in {0, 1, highest, int(exam.rng.integers(0, highest + 1))}:
            _expect_found(exam, largest_scale, border, highest)
    _expect_answer(exam, dask_answer)


def _expect_found(exam: Examination, largest_scale: Any, border: int, highest: int) -> None:
    asked: list[Any] = []

    def survives(copies: int) -> bool:
        asked.append(copies)
        # Far more questions than needed: end a search that never stops.
        exam.require("It comes to an end", len(asked) <= 4 * highest + 20, f"{len(asked)} questions so far")
        return copies <= border

    found = exam.call(largest_scale, survives, highest)
    exam.expect(
        "It finds the largest number that survives, or 0",
        found == border,
        f"{found!r} when {border} of 1 … {highest} is the largest",
    )
    outside = [value for value in asked if not 1 <= value <= highest]
    exam.expect("It asks only for 1 … highest", not outside, f"it asked for {outside[:3]}" if outside else "so it did")
    allowed = math.ceil(math.log2(highest + 1)) + 1
    exam.expect(
        "It halves what is left with each question",
        len(asked) <= allowed,
        f"{len(asked)} questions for 1 … {highest}, at most {allowed} are needed",
    )


def _expect_answer(exam: Examination, dask_answer: Any) -> None:
    from gpucluster import datasets

    copies, shortest = int(exam.rng.integers(2, 4)), int(exam.rng.integers(200, 1500))
    columns = ["distance", "dep_delay"]
    base = datasets.flights(columns=columns, as_frame="pandas")
    base = base[base["distance"] > shortest]
    with exam.client.as_current():
        table = datasets.flights(3 * copies, columns=columns, copies=copies)
        table = table[table["distance"] > shortest]
        with Traffic(exam.client) as traffic:
            answer = exam.call(dask_answer, table)
    answer = several(exam, answer, "rows", "mean")
    lazy = [value for value in answer if hasattr(value, "compute")]
    exam.require("Both are computed, not only planned", not lazy, describe(lazy[0]) if lazy else "both are")
    rows, mean = (number(exam, value, "Each of the two") for value in answer)
    exam.expect(
        "The number of rows is that of all copies",
        rows == copies * len(base),
        f"{rows:,.0f} for {copies} × {len(base):,}",
    )
    true = float(base["dep_delay"].mean())
    exam.expect(
        "The mean is that of one copy", math.isclose(mean, true, rel_tol=1e-9), f"{mean:.6f}, one copy {true:.6f}"
    )
    size = copies * len(base) * 12
    exam.expect(
        "The table stays on the workers", traffic.bytes < size / 2,
        f"{traffic.bytes:,} bytes left the workers, the table has {size:,}",
    )  # fmt: skip
