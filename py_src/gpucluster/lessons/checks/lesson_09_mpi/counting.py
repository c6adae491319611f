"""Lesson 09, one count in two worlds, and communicators of some of the ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...probes.transfers import Traffic
from .. import exercise
from ..answers import Floats, in_blocks, random_cuts
from .ranks import on_ranks, under_mpi

FEW_BYTES = 64


@exercise("09.1", "late_on_ranks", "late_with_dask")
def check_late(exam: Examination, late_on_ranks: Any, late_with_dask: Any) -> None:
    """The same whole number from ranks and from Dask, and no delay travels."""
    for n_ranks in (1, 3, 4):
        parts = _delays_of_ranks(exam.rng, n_ranks)
        true = int(sum((part > 0).sum() for part in parts))
        run = on_ranks(exam, lambda comm, all_: late_on_ranks(comm, all_[comm.rank]), parts, n_ranks=n_ranks)
        _expect_counts(
            exam, "ranks", run.results, true, f"{n_ranks} ranks with {', '.join(str(len(p)) for p in parts)}"
        )
        sent = max((bytes_ for *_, bytes_ in run.collectives), default=0)
        sent = max([sent, *(message.bytes for message in run.messages if n_ranks > 1)])
        exam.expect("Between ranks, only counts travel, not the delays", sent <= FEW_BYTES,
                    f"the largest message has {sent:,} bytes")  # fmt: skip
    parts = _delays_of_ranks(exam.rng, 2)
    found = under_mpi(exam, lambda comm, all_: late_on_ranks(comm, all_[comm.rank]), parts, n_ranks=2)
    if found is not None:
        _expect_counts(exam, "ranks", found, int(sum((part > 0).sum() for part in parts)), "2 ranks under mpiexec")
    for blocks in (1, 5):
        _expect_dask(exam, late_with_dask, blocks)


def _expect_dask(exam: Examination, late_with_dask: Any, blocks: int) -> None:
    from distributed import wait

    y = _delays(exam.rng, 20_000)
    sizes = [cut.stop - cut.start for cut in random_cuts(exam.rng, len(y), blocks)]
    with exam.client.as_current():
        lazy = in_blocks(y, sizes).persist()
        wait(lazy)
        with Traffic(exam.client) as traffic:
            found = exam.call(late_with_dask, lazy)
    _expect_counts(exam, "Dask", [found], int((y > 0).sum()), f"{blocks} blocks of a Dask array")
    exam.expect("With Dask, the delays stay on the workers", traffic.bytes < y.nbytes / 10,
                f"{traffic.bytes:,} bytes came to the notebook, the delays have {y.nbytes:,}")  # fmt: skip


def _expect_counts(exam: Examination, what: str, found: list[Any], true: int, case: str) -> None:
    whole = all(isinstance(one, (int, np.integer)) and not isinstance(one, bool) for one in found)
    kinds = sorted({describe(one) for one in found})
    expected = {"ranks": "late_on_ranks returns a whole number on every rank",
                "Dask": "late_with_dask returns a whole number, computed"}[what]  # fmt: skip
    exam.require(expected, whole, f"{', '.join(kinds)}; {case}")
    right = all(int(one) == true for one in found)
    exam.expect(f"Counts the flights that arrived late, with {what}", right,
                f"{sorted({int(one) for one in found})}, expected {true}; {case}")  # fmt: skip


def _delays(rng: np.random.Generator, n: int) -> Floats:
    """Whole minutes, many of them 0 or negative, and some that are missing."""
    found = rng.integers(-40, 60, n).astype(float)
    found[rng.random(n) < 0.1] = 0.0
    found[rng.random(n) < 0.05] = np.nan
    return found


def _delays_of_ranks(rng: np.random.Generator, n_ranks: int) -> list[Floats]:
    """Ranks with different numbers of flights; where there are four, one has none."""
    sizes = rng.permutation(rng.integers(3000, 9000, n_ranks) * (np.arange(n_ranks) != 3))
    return [_delays(rng, int(size)) for size in sizes]


@exercise("09.2", "grid_sums")
def check_grid(exam: Examination, grid_sums: Any) -> None:
    """Ranks in rows and columns: each gets the sums of its own row and column, from communicators of their own."""
    for columns, rows in ((2, 2), (3, 2), (2, 4), (1, 3), (4, 1)):
        _expect_grid(exam, grid_sums, rows, columns)
        if not exam.passed:
            return
    values = exam.rng.integers(1, 1000, (2, 2))
    found = under_mpi(
        exam,
        lambda comm, columns, all_: grid_sums(comm, columns, all_[comm.rank]),
        2,
        values.ravel().tolist(),
        n_ranks=4,
    )
    if found is not None:
        _expect_sums(exam, found, values, "4 ranks under mpiexec")


def _expect_grid(exam: Examination, grid_sums: Any, rows: int, columns: int) -> None:
    values = exam.rng.integers(1, 1000, (rows, columns))
    run = on_ranks(
        exam,
        lambda comm, width, all_: grid_sums(comm, width, all_[comm.rank]),
        columns,
        values.ravel().tolist(),
        n_ranks=rows * columns,
    )
    case = f"{rows * columns} ranks in {columns} columns"
    _expect_sums(exam, run.results, values, case)
    splits = sum(name == "Split" for name, *_ in run.collectives)
    exam.expect("The ranks are divided with Split, once into rows and once into columns",
                splits == 2 * values.size, f"{splits / values.size:g} calls of Split per rank; {case}")  # fmt: skip
    whole = [name for name, group, *_ in run.collectives if not group and name not in {"Split", "barrier"}]
    exam.expect(
        "Nothing is added up over all ranks: each sum is made in a communicator of its own",
        not whole and not run.messages,
        f"{', '.join(sorted(set(whole))) or 'nothing'} over all ranks; {case}",
    )


def _expect_sums(exam: Examination, found: list[Any], values: Any, case: str) -> None:
    columns = values.shape[1]
    pairs = all(isinstance(one, (tuple, list, np.ndarray)) and len(one) == 2 for one in found)
    exam.require("Each rank returns two things: row_sum and column_sum", pairs, f"{describe(found[0])}; {case}")
    sums = {0: values.sum(axis=1), 1: values.sum(axis=0)}
    for place, name in enumerate(("row_sum", "column_sum")):
        wrong = [rank for rank, one in enumerate(found) if one[place] != sums[place][divmod(rank, columns)[place]]]
        first = wrong[0] if wrong else 0
        exam.expect(f"{name} is the sum over the ranks of the own {name.removesuffix('_sum')}", not wrong,
                    f"rank {first}: {found[first][place]}, expected {sums[place][divmod(first, columns)[place]]}; "
                    f"{case}")  # fmt: skip
