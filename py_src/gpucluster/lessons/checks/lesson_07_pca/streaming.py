"""Lesson 07, a table that never is in memory as a whole: blocks are made, used and let go."""

from __future__ import annotations

import time
import weakref
from typing import Any

import numpy as np

from ...examination import Examination
from ...probes.fanin import FanIn
from ...probes.transfers import Traffic
from .. import exercise
from ..answers import Floats, number, numbers, relative_gap, several

PATCHES, FIRST_RATIO = 515_000, 0.8123
"""Of all 16 × 16 patches of the two photos."""

MOST_AT_ONCE, LONGEST_CHAIN = 12, 18
"""Of the results that one task reads, and of the tasks that wait for each other: in a tree of pairs 2, and about 10."""

PAUSE = 0.01
_alive = {"now": 0, "most": 0, "before": 0, "made": 0}


def counted_block(number: int, rows: int, columns: int, seed: int) -> Floats:
    """Make a block on a worker, and count how many of them live there at once."""
    rng = np.random.default_rng([seed, number])
    block: Floats = rng.normal(number % 3, 1 + np.arange(columns) / columns, (rows, columns))
    time.sleep(PAUSE)  # a block that takes no time at all is made before the scheduler hears of the one before
    _alive["now"] += 1
    _alive["made"] += 1
    _alive["most"] = max(_alive["most"], _alive["now"])
    weakref.finalize(block, _let_go)
    return block


def _block_of(*, sizes: list[int], columns: int, seed: int, block_info: Any = None) -> Floats:
    number = block_info[None]["chunk-location"][0]
    return counted_block(number, sizes[number], columns, seed)


def _let_go() -> None:
    _alive["now"] -= 1


def _start_counting() -> None:
    _alive["most"] = _alive["before"] = _alive["now"]
    _alive["made"] = 0


def _most_alive() -> int:
    return _alive["most"] - _alive["before"]


def _made() -> int:
    return _alive["made"]


@exercise("07.4", "fit_stream", "n_patches", "first_ratio")
def check_stream(exam: Examination, fit_stream: Any, n_patches: Any, first_ratio: Any) -> None:
    """One merged result comes to the notebook, blocks are let go, and the real photos have the known numbers."""
    import dask.array as da

    n_blocks, d, seed = 36, 30, int(exam.rng.integers(1 << 30))
    sizes = [int(size) for size in exam.rng.integers(40, 160, n_blocks)]
    X = da.map_blocks(_block_of, chunks=(tuple(sizes), (d,)), dtype=float, meta=np.empty((0, 0)), sizes=sizes,
                      columns=d, seed=seed)  # fmt: skip
    exam.client.run(_start_counting)
    with exam.client.as_current(), FanIn(exam.client) as fan_in, Traffic(exam.client) as traffic:
        result = exam.call(fit_stream, exam.client, X)
    most = sum(exam.client.run(_most_alive).values())
    made = sum(exam.client.run(_made).values())
    table = np.concatenate([counted_block(number, size, d, seed) for number, size in enumerate(sizes)])
    n, mean, centred = several(exam, result, "n", "mean", "products about the mean")
    mean, centred = numbers(exam, mean, "mean", (d,)), numbers(exam, centred, "products about the mean", (d, d))
    exam.expect("n counts all rows", n == len(table), f"{n:g} of {len(table)} rows, cut into {n_blocks} blocks")
    gap = float(np.abs(mean - table.mean(axis=0)).max())
    exam.expect("mean is the mean of all rows", gap < 1e-8, f"largest difference {gap:.2g}")
    gap = relative_gap(centred, np.cov(table.T) * (len(table) - 1))
    exam.expect("The products are those of all rows about their mean", gap < 1e-8, f"relative difference {gap:.2g}")
    one = 8 * (d * d + d + 1)
    # Where the notebook makes the blocks itself, no bytes leave a worker, and the scheduler sees no tasks.
    exam.expect("The workers make all blocks, and merge what comes of them", made >= n_blocks and fan_in.most > 1,
                f"of {n_blocks} blocks, the workers made {made}")  # fmt: skip
    exam.expect(
        "One merged result comes to the notebook, not one per block, and no rows",
        traffic.bytes < 3 * one,
        f"{traffic.bytes:,} bytes left the workers; one result has {one:,}, {n_blocks} blocks have {table.nbytes:,}",
    )
    exam.expect(
        "The merges are a tree: each task reads a few results, and few tasks wait for each other",
        fan_in.most <= MOST_AT_ONCE and fan_in.longest <= LONGEST_CHAIN,
        f"of {n_blocks} blocks, one task reads {fan_in.most} results, and {fan_in.longest} tasks wait for each other",
    )
    # All workers together: a busy scheduler may give one of them more than its part.
    exam.expect(
        "Blocks are used and let go: the workers never hold all of them at once",
        most < 0.9 * n_blocks,
        f"at most {most} of {n_blocks} blocks were alive",
    )
    _expect_photos(exam, n_patches, first_ratio)


def _expect_photos(exam: Examination, n_patches: Any, first_ratio: Any) -> None:
    rows, ratio = number(exam, n_patches, "n_patches"), number(exam, first_ratio, "first_ratio")
    exam.expect("All 16 × 16 patches of both photos were counted", rows == PATCHES, f"{rows:,.0f} patches")
    exam.expect("The first component explains the share of the variance that it does in these photos",
                abs(ratio - FIRST_RATIO) < 0.001, f"{ratio:.4f}")  # fmt: skip
