"""Lesson 08, forests: trees that grew on different blocks vote, and rows are dealt out before they grow."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...examination import Examination, Halt, describe
from ...material.conversion import as_numpy
from .. import exercise
from ..answers import Floats, in_blocks, several

FARTHEST = 0.2
"""How far a share may be from what chance gives: ten times its standard deviation over random orders."""


@exercise("08.4", "vote", "deal")
def check_forest(exam: Examination, vote: Any, deal: Any) -> None:
    """Forests that know different classes vote on all of them; dealing gives every block every class."""
    _expect_votes(exam, vote, [[0, 2], [1, 2, 3], [0, 1, 3]])
    _expect_votes(exam, vote, [[0, 3], [1, 3], [0, 1]])  # nobody has seen class 2
    _expect_silence(exam, vote)
    _expect_dealt(exam, deal)


def _expect_votes(exam: Examination, vote: Any, known: list[list[int]]) -> None:
    from sklearn.ensemble import RandomForestClassifier

    k, d, n = 4, 3, 240
    centres = exam.rng.normal(0, 2.0, (k, d))
    y = exam.rng.integers(0, k, n)
    X = centres[y] + exam.rng.normal(0, 1.3, (n, d))
    forests = []
    for classes in known:
        rows = np.isin(y, classes)
        grown = RandomForestClassifier(6, max_depth=4, random_state=int(exam.rng.integers(1000)), n_jobs=1)
        forests.append(grown.fit(X[rows], y[rows]))
    queries = exam.rng.normal(0, 2.5, (150, d))
    shares = np.zeros((len(queries), k))
    for forest in forests:
        shares[:, forest.classes_] += forest.predict_proba(queries)
    result = exam.call(vote, forests, queries.copy(), k)
    try:
        found = np.asarray(result)
        right_shape = found.shape == (len(queries),) and found.dtype.kind in "iuf"
    except (TypeError, ValueError):
        right_shape = False
    exam.require("It returns one class for each row", right_shape, describe(result))
    found = found.astype(int)
    inside = bool(((found >= 0) & (found < k)).all())
    exam.require("Classes run from 0 to n_classes − 1", inside, f"{found.min()} to {found.max()}")
    own = shares[np.arange(len(queries)), found]
    right = own >= shares.max(axis=1) - 1e-9
    exam.expect(
        "Each row gets the class with the largest share of all trees, also where a forest has never seen a class",
        right.all(),
        f"{right.sum()} of {len(queries)} rows",
    )


def _expect_silence(exam: Examination, vote: Any) -> None:
    """A forest that has never seen a class gives it a chance of 0, and this 0 counts in the mean."""
    from sklearn.ensemble import RandomForestClassifier

    rare, right, often = (int(label) for label in exam.rng.permutation(3))
    forests = []
    for rows in ({rare: 9, often: 1}, *[{right: 6, often: 4}] * 3):
        y = np.repeat(list(rows), list(rows.values()))
        grown = RandomForestClassifier(3, bootstrap=False, random_state=0, n_jobs=1)  # all rows are alike: one leaf
        forests.append(grown.fit(np.zeros((len(y), 2)), y))
    mixed = [forests[place] for place in exam.rng.permutation(len(forests))]
    found = np.asarray(exam.call(vote, mixed, np.zeros((4, 2)), 3))
    exam.expect(
        "The mean is over all forests: a class that a forest does not know has the chance 0 there",
        found.shape == (4,) and bool((found == right).all()),
        f"class {found.ravel()[0]}, expected {right}: chances of 0.9 in one forest of four are less than 0.6 in three",
    )


def _expect_dealt(exam: Examination, deal: Any) -> None:
    from dask.base import compute, is_dask_collection

    k, sizes = 5, [150, 170, 140, 160]
    n = sum(sizes)
    y = np.sort(np.concatenate([np.arange(k), exam.rng.integers(0, k, n - k)]))
    X = np.column_stack([exam.rng.normal(size=n), y * 10 + exam.rng.uniform(0, 1, n)])
    with exam.client.as_current():
        result = exam.call(deal, in_blocks(X, sizes), in_blocks(y, sizes), int(exam.rng.integers(1000)))
        result = several(exam, result, "X", "y")
        lazy = all(is_dask_collection(part) and hasattr(part, "to_delayed") for part in result)
        exam.require("Both are still Dask arrays", lazy, " and ".join(describe(part) for part in result))
        blocks = compute([list(np.ravel(part.to_delayed())) for part in result])[0]
    rows, labels = ([as_numpy(block) for block in part] for part in blocks)
    same = len(rows) == len(labels) and all(len(a) == len(b) for a, b in zip(rows, labels, strict=False))
    exam.require(
        "Blocks of X and y belong together", same, f"{[len(b) for b in rows]} and {[len(b) for b in labels]} rows"
    )
    all_rows, all_labels = np.concatenate(rows), np.concatenate(labels)
    exam.require("X keeps its columns", all_rows.ndim == 2 and all_rows.shape[1] == 2, f"shape {all_rows.shape}")
    kept = np.array_equal(np.sort(all_rows[:, 0]), np.sort(X[:, 0]))
    missing, twice = n - len(np.intersect1d(all_rows[:, 0], X[:, 0])), len(all_rows) - len(np.unique(all_rows[:, 0]))
    told = f"of {counted(n, 'row')}, {missing} are missing, and {twice} came a second time"
    exam.expect("Every row is there exactly once", kept, "all are" if kept else told)
    paired = bool((np.floor(all_rows[:, 1] / 10) == all_labels).all())
    exam.expect("Each row keeps its own label", paired, "all do" if paired else "some rows have another row's label")
    exam.expect(
        "There are as many blocks as before", len(rows) == len(sizes), f"{len(rows)} blocks, {len(sizes)} before"
    )
    fewest = min((len(np.unique(block)) for block in labels if len(block)), default=0)
    exam.expect("Every block has all classes", fewest == k, f"one block has {fewest} of {k}")
    largest = max(len(block) for block in rows) / n
    if not kept and not len(all_rows):
        raise Halt
    exam.expect("No block has nearly all rows", largest < 0.6, f"the largest has {largest:.0%}")
    if kept and len(rows) > 1:
        _expect_chance(exam, deal, X, y, sizes)


def _lengths(array: Any) -> list[int]:
    """Rows of each block, counted where the chunks do not say."""
    import dask.array as da

    known = array if not np.isnan(array.chunks[0]).any() else da.Array.compute_chunk_sizes(array)
    return [int(rows) for rows in known.chunks[0]]


def _places(values: Floats, dealt: Floats) -> Any:
    """Return the place of each value in the dealt ones; both have the same numbers, each once."""
    order = np.argsort(dealt)
    return order[np.searchsorted(dealt[order], values)]


def _expect_chance(exam: Examination, deal: Any, X: Any, y: Any, sizes: list[int]) -> None:
    """The order is random, and the seed decides it.

    What counts is the block of a row: inside a block, rows may stand in any order. Two rows are in the same of four
    blocks with a chance of a quarter, give or take 0.02 over all rows; an order with a fixed step brings nearly all
    rows of some distance together, or none.
    """
    from dask.base import compute

    seed = int(exam.rng.integers(1000))
    with exam.client.as_current():
        dealt = [
            exam.call(deal, in_blocks(X, sizes), in_blocks(y, sizes), number)[0] for number in (seed, seed, seed + 1)
        ]
        cuts = [np.repeat(np.arange(rows.numblocks[0]), _lengths(rows)) for rows in dealt]
        first, again, other = (as_numpy(rows)[:, 0] for rows in compute(*dealt))
    exam.expect("The same seed deals in the same order", np.array_equal(first, again), f"seed {seed}, twice")
    exam.expect("Another seed deals in another order", not np.array_equal(first, other), f"seeds {seed} and {seed + 1}")
    whole = np.array_equal(np.sort(first), np.sort(X[:, 0])) and np.array_equal(np.sort(other), np.sort(X[:, 0]))
    exam.require("Every row is there exactly once", whole, f"not so with the seeds {seed} and {seed + 1}")
    places = [_places(X[:, 0], one) for one in (first, other)]
    blocks = [cut[place] for cut, place in zip((cuts[0], cuts[2]), places, strict=True)]
    shares = [np.bincount(one, minlength=len(X)) / len(X) for one in blocks]
    expected, twice = float(shares[0] @ shares[0]), float(shares[0] @ shares[1])
    together = [float((blocks[0][step:] == blocks[0][:-step]).mean()) for step in range(1, 61)]
    strangest = max(range(60), key=lambda place: abs(together[place] - expected))
    exam.expect(
        "The order is random: where one row goes says nothing of where the next rows go",
        abs(together[strangest] - expected) < FARTHEST,
        f"of rows that were {strangest + 1} apart, {together[strangest]:.0%} came into the same block; "
        f"by chance it is {expected:.0%}",
    )
    shifts = np.bincount((places[1] - places[0]) % len(X))
    same = max(float((blocks[0] == blocks[1]).mean()), float(shifts.max() / len(X)))
    exam.expect("Another seed deals anew: the order is not the same one, moved on", same < twice + FARTHEST,
                f"{same:.0%} of the rows were moved on together, or are in the same block as before")  # fmt: skip
