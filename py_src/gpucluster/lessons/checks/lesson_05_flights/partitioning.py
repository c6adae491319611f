"""Lesson 05, partitions: how large they should be, and which operations move rows between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...examination import Examination, describe
from ...material.conversion import as_pandas
from .. import exercise
from .hidden import in_parts, in_this_process

MOVES = {
    "late flights": "none",
    "speed": "none",
    "only three carriers": "none",
    "upper case": "none",
    "total distance": "tree",
    "mean delay by origin": "tree",
    "ten longest delays": "tree",
    "sort by delay": "shuffle",
    "join each plane's flights": "shuffle",
    "apply per plane": "shuffle",
}


@exercise("05.10", "npartitions_for", "cut")
def check_partitions(exam: Examination, npartitions_for: Any, cut: Any) -> None:
    """Partitions lie in the band of the rule; a table that was cut has no partition above the limit."""
    for number in range(40):
        shuffles = bool(number % 2)
        device = int(exam.rng.integers(8, 200)) * 10**9
        table = int(device * 10.0 ** exam.rng.uniform(-3, 3))
        _expect_band(exam, exam.call(npartitions_for, table, device, shuffles), table, device, shuffles)
    for share, shuffles in ((1 / 16, True), (1 / 8, False), (1 / 2, True), (7.5, False)):  # exact fits
        device = 64 * 10**9
        table = int(device * share)
        _expect_band(exam, exam.call(npartitions_for, table, device, shuffles), table, device, shuffles)
    _expect_cut(exam, cut)


def _expect_band(exam: Examination, count: Any, table: int, device: int, shuffles: bool) -> None:
    whole = np.ndim(count) == 0 and not isinstance(count, bool) and isinstance(count, (int, np.integer))
    exam.require("npartitions_for returns a whole number, 1 or more", whole and count >= 1, f"{count!r:.40}")
    least, most = (device / 32, device / 16) if shuffles else (device / 16, device / 8)
    size = table / count
    pieces = f"{counted(count, 'partition')} of {size / 1e9:,.3f} GB"
    what = f"{table / 1e9:,.2f} GB, a device of {device / 1e9:.0f} GB: {pieces}"
    words = "with shuffles: 1/32 to 1/16" if shuffles else "without shuffles: 1/16 to 1/8"
    if table < least:
        exam.expect("A table below the band is one partition", count == 1, what)
    else:
        exam.expect(f"A partition takes, {words} of the device's memory", least <= size <= most * (1 + 1e-9), what)


def _expect_cut(exam: Examination, cut: Any) -> None:
    import pandas as pd

    sizes_of = ((1, 40_000, 60_000, 120_000), (6, 60_000, 60_000, 120_000), (3, 30_000, 6000, 9000),
                (2, 50_000, 450_000, 700_000))  # fmt: skip
    for count, rows, low, high in sizes_of:
        table = pd.DataFrame({"number": np.arange(rows), "value": exam.rng.normal(size=rows)})
        table.loc[exam.rng.choice(rows, 50, replace=False), "value"] = np.nan
        most = int(exam.rng.integers(low, high))
        with in_this_process():
            result = exam.call(cut, in_parts(exam.rng, table, count), most)
            exam.require("cut returns a lazy Dask table", hasattr(result, "to_delayed"), describe(result))
            lazy = result.to_delayed()
            needed = -(-rows * 16 // most)
            fits = exam.expect("There are at most ten times as many partitions as needed", len(lazy) <= 10 * needed,
                               f"{len(lazy)} partitions, {needed} would do")  # fmt: skip
            if not fits:
                return
            parts = [exam.call(as_pandas, part) for part in lazy]
        sizes = [int(part.memory_usage(deep=True, index=False).sum()) for part in parts]
        found = np.concatenate([part["number"].to_numpy() for part in parts])
        same = np.array_equal(found, table["number"])
        kept = len(np.unique(found))
        told = f"{kept:,} of {rows:,} rows are there" + (f", {len(found) - kept:,} of them twice" * (len(found) > kept))
        if kept == len(found) == rows:
            told = f"all {rows:,} rows are there, in another order" * (not same)
        exam.expect("cut keeps all rows, in their order", same, told)
        exam.expect("No partition is above most_bytes", max(sizes) <= most,
                    f"the largest has {max(sizes):,} bytes, the limit is {most:,}")  # fmt: skip


@exercise("05.11", "moves")
def check_moves(exam: Examination, moves: Any) -> None:
    """The learner's words agree with Dask's plans, which a test compares with these ten operations."""
    exam.require("moves is a dictionary {operation: word}", isinstance(moves, dict), describe(moves))
    exam.require("moves names the ten operations", set(moves) == set(MOVES), f"{len(set(moves) & set(MOVES))} of 10")
    odd = sorted({str(word) for word in moves.values()} - {"none", "tree", "shuffle"})
    exam.require("Each word is none, tree or shuffle", not odd, f"not one of them: {', '.join(odd)[:60]}")
    for word in ("none", "tree", "shuffle"):
        mine = {name for name, said in moves.items() if said == word}
        right = {name for name, said in MOVES.items() if said == word}
        exam.expect(f"The operations with '{word}' are those of Dask's plans", mine == right,
                    f"you name {len(mine)}, rightly {len(mine & right)}; the plans have {len(right)}")  # fmt: skip
