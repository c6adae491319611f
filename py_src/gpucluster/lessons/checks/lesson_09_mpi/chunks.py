"""Lesson 09, one chunk per worker, and a trainer that gets each chunk where it is."""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...material.conversion import as_numpy
from ...probes.transfers import Traffic
from .. import exercise
from ..answers import in_blocks, random_cuts

LARGEST_MODEL = 4_000
SLOW, SLOW_SECONDS = 100.0, 0.3
"""A chunk that begins with this number takes so long: the first one, so that models are ready in another order."""


@exercise("09.5", "one_per_worker")
def check_one_per_worker(exam: Examination, one_per_worker: Any) -> None:
    """As many chunks as workers, of nearly equal size, with all columns; nothing is computed."""
    import dask.array as da

    for n, d, workers in ((10, 3, 4), (9, 2, 4), (100, 5, 7), (11, 1, 10), (64, 4, 1), (6, 6, 6), (1003, 3, 32)):
        rows = [cut.stop - cut.start for cut in random_cuts(exam.rng, n, int(exam.rng.integers(1, 6)))]
        columns = [cut.stop - cut.start for cut in random_cuts(exam.rng, d, int(exam.rng.integers(1, d + 1)))]
        points = exam.rng.normal(size=(n, d))
        X = da.from_array(points, chunks=(tuple(rows), tuple(columns)))
        exam.call(one_per_worker, X.map_blocks(_refuse, dtype=float, meta=points[:0]), workers)
        result = exam.call(one_per_worker, X, workers)
        case = f"{n} rows, {workers} workers"
        exam.require("It returns a Dask array", isinstance(result, da.Array), f"{describe(result)}; {case}")
        exam.require("The shape stays as it was", result.shape == X.shape, f"{result.shape} from {X.shape}")
        exam.expect("There are as many chunks as workers", result.numblocks[0] == workers,
                    f"{result.numblocks[0]} chunks along the rows; {case}")  # fmt: skip
        exam.expect("Each chunk has all columns", result.numblocks[1] == 1,
                    f"{result.numblocks[1]} chunks along the columns; {case}")  # fmt: skip
        sizes = result.chunks[0]
        exam.expect("Two chunks differ by at most one row", max(sizes) - min(sizes) <= 1, f"rows: {sizes}; {case}")
        same = np.array_equal(as_numpy(result.compute(scheduler="synchronous")), points)
        exam.expect("Values and order stay as they were", same, f"{'the same' if same else 'others'}; {case}")


def _refuse(_block: Any) -> Any:
    raise RuntimeError("a block was computed here, but nothing is to be computed yet")


@exercise("09.6", "train_each")
def check_train_each(exam: Examination, train_each: Any) -> None:
    """One model per chunk, in order, trained where the chunk is; the notebook gets only models."""
    from distributed import wait

    for blocks, d in ((1, 5), (2, 6), (5, 7)):
        n = 12_000
        X, y = exam.rng.normal(size=(n, d)), exam.rng.integers(0, 2, n).astype(float)
        X[0, 0] = SLOW
        sizes = [cut.stop - cut.start for cut in random_cuts(exam.rng, n, blocks)]
        ends = np.cumsum([0, *sizes])
        with exam.client.as_current():
            lazy = in_blocks(X, sizes).persist(), in_blocks(y, sizes).persist()
            wait(lazy)
            exam.client.run(_forget)
            with Traffic(exam.client) as traffic:
                models = exam.call(train_each, exam.client, *lazy, telling_trainer)
        calls = sum(exam.client.run(_times).values())
        case = f"{blocks} chunks"
        exam.require("It returns a list of models", isinstance(models, (list, tuple)), f"{describe(models)}; {case}")
        exam.require("There is one model per chunk", len(models) == blocks, f"{len(models)} models; {case}")
        right = all(isinstance(model, dict) and "rows" in model for model in models)
        exam.require("Each model is what train returns", right, f"{describe(models[0])}; {case}")
        rows = [model["rows"] for model in models]
        exam.expect("Each model has seen one chunk, in the order of the chunks", rows == sizes,
                    f"rows {rows}, chunks {sizes}")  # fmt: skip
        parts = [(X[a:b], y[a:b]) for a, b in itertools.pairwise(ends)]
        if rows == sizes:
            off = max(float(np.abs(model["sums"] - (part.T @ own)).max())
                      for model, (part, own) in zip(models, parts, strict=True))  # fmt: skip
            exam.expect("The rows of X meet their own labels y, with all digits", off < 1e-6,
                        f"largest difference {off:.3g}; {case}")  # fmt: skip
        kinds = sorted({kind for model in models for kind in model["kinds"]})
        exam.expect("train gets arrays, not Dask arrays or futures", kinds == ["array"], f"{kinds}; {case}")
        largest = max(model["together"] for model in models)
        exam.expect("No worker puts the rows of several chunks together", largest <= max(sizes),
                    f"{largest} rows in one array, chunks {sizes}")  # fmt: skip
        exam.expect("Each chunk is trained on a worker, once", calls == blocks,
                    f"{calls} calls on the workers; {case}")  # fmt: skip
        exam.expect("The chunks stay on the workers: only models come to the notebook",
                    traffic.bytes <= LARGEST_MODEL * blocks,
                    f"{traffic.bytes:,} bytes came; X has {X.nbytes:,}; {case}")  # fmt: skip
        if not exam.passed:
            return


_calls = [0]


def _forget() -> None:
    _calls[0] = 0


def _times() -> int:
    return _calls[0]


def telling_trainer(X: Any, y: Any) -> dict[str, Any]:
    """Stand in for a library that is given one chunk: tells what it was given, and where."""
    from distributed import get_worker

    rows, labels = np.asarray(as_numpy(X)), np.asarray(as_numpy(y))
    together = 0
    try:
        # Only what has as many columns: a moment ago, the worker may have held the rows of another round.
        held: list[tuple[int, ...]] = [getattr(one, "shape", ()) for one in list(get_worker().data.values())]
        together = max((shape[0] for shape in held if shape[1:] == rows.shape[1:]), default=0)
        _calls[0] += 1
    except ValueError:
        pass  # in the notebook
    if rows[0, 0] == SLOW:
        time.sleep(SLOW_SECONDS)
    kinds = [
        "array" if type(one).__module__.split(".")[0] in {"numpy", "cupy"} else type(one).__name__ for one in (X, y)
    ]
    return {"rows": len(rows), "sums": rows.T @ labels, "kinds": kinds, "together": together}
