"""The checks of lesson 09, dask."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np

from ...answers import in_blocks, number, random_cuts, several
from ...checks import exercise
from ...examination import Examination, describe, describe_error
from ...material.conversion import as_numpy
from ...probes.transfers import Traffic
from .checks import on_ranks, under_mpi

# One chunk per worker, and a trainer that gets each chunk where it is.


LARGEST_MODEL = 4_000
SLOW, SLOW_SECONDS = 100.0, 0.3
"""A chunk that begins with this number takes this long: the first one, so that models are ready in another order."""


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
        exam.require("The shape is unchanged", result.shape == X.shape, f"{result.shape} from {X.shape}")
        exam.expect("There are as many chunks as workers", result.numblocks[0] == workers,
                    f"{result.numblocks[0]} chunks along the rows; {case}")  # fmt: skip
        exam.expect("Each chunk has all columns", result.numblocks[1] == 1,
                    f"{result.numblocks[1]} chunks along the columns; {case}")  # fmt: skip
        sizes = result.chunks[0]
        exam.expect("Two chunks differ by at most one row", max(sizes) - min(sizes) <= 1, f"rows: {sizes}; {case}")
        same = np.array_equal(as_numpy(result.compute(scheduler="synchronous")), points)
        exam.expect("Values and order are unchanged", same, f"{'the same' if same else 'others'}; {case}")


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
            exam.expect("The rows of X are paired with their own labels y, with all digits", off < 1e-6,
                        f"largest difference {off:.3g}; {case}")  # fmt: skip
        kinds = sorted({kind for model in models for kind in model["kinds"]})
        exam.expect("train gets arrays, not Dask arrays or futures", kinds == ["array"], f"{kinds}; {case}")
        largest = max(model["together"] for model in models)
        exam.expect("No worker combines the rows of several chunks", largest <= max(sizes),
                    f"{largest} rows in one array, chunks {sizes}")  # fmt: skip
        exam.expect("Each chunk is trained on a worker, once", calls == blocks,
                    f"{calls} calls on the workers; {case}")  # fmt: skip
        exam.expect("The chunks stay on the workers: only models are sent to the notebook",
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


# Messages that let others have a turn while they are under way.


SECONDS = 5
TURNS = 10
MOST_QUESTIONS = 2_000


class _Slow:
    """A request that is done when others have had their turns; it cannot wait."""

    def __init__(self, begun: list[Any], others: Callable[[], int], turns: int) -> None:
        self._begun, self._others, self._turns = begun, others, turns
        self.asked = 0
        begun.append(self)

    @property
    def done(self) -> bool:
        return self._others() >= self._turns

    def Test(self, status: Any = None) -> bool:
        self.asked += 1
        if self.asked > MOST_QUESTIONS:
            raise TimeoutError(f"Test was called {MOST_QUESTIONS:,} times, and others had no turn meanwhile")
        return self.done

    def test(self, status: Any = None) -> tuple[bool, None]:
        return self.Test(), None

    def Wait(self, status: Any = None) -> bool:
        raise RuntimeError("Wait blocks the event loop: nothing else can run while it waits. Use Test")

    wait = Wait


class _Stage:
    """A communicator whose requests need patience; it notes what was begun."""

    def __init__(self, turns: int) -> None:
        self.rank, self.size, self.turns = 0, 2, turns
        self.ticks = 0
        self.requests: list[Any] = []
        self.buffers: list[tuple[str, Any, int]] = []

    def Isend(self, buf: Any, dest: int, tag: int = 0) -> _Slow:
        self.buffers.append(("Isend", _array(buf), dest))
        return _Slow(self.requests, lambda: self.ticks, self.turns)

    def Irecv(self, buf: Any, source: int = -1, tag: int = -1) -> _Slow:
        self.buffers.append(("Irecv", _array(buf), source))
        return _Slow(self.requests, lambda: self.ticks, self.turns)

    def __getattr__(self, name: str) -> Any:
        if name in {"Send", "Recv", "send", "recv", "Ssend", "Sendrecv", "sendrecv", "Probe", "probe"}:
            raise RuntimeError(f"{name} blocks the event loop: nothing else can run while it waits")
        raise AttributeError(name)


def _array(buffer: Any) -> Any:
    return buffer[0] if isinstance(buffer, (list, tuple)) and buffer else buffer


@exercise("09.9", "send_and_yield", "receive_and_yield")
def check_coroutines(exam: Examination, send_and_yield: Any, receive_and_yield: Any) -> None:
    """Other coroutines have their turn until the request is done, and then it ends."""
    for name, function in (("send_and_yield", send_and_yield), ("receive_and_yield", receive_and_yield)):
        exam.require(f"{name} is a coroutine function (async def)", inspect.iscoroutinefunction(function), "it is not")
        operation = "Isend" if function is send_and_yield else "Irecv"
        for turns in (0, TURNS, 25):
            _expect_turns(exam, name, function, operation, turns)
    array = exam.rng.normal(size=int(exam.rng.integers(20_000, 40_000)))
    run = on_ranks(exam, _exchange, send_and_yield, receive_and_yield, array, n_ranks=2)
    _expect_exchange(exam, run.results, array, "simulated ranks")
    found = under_mpi(exam, _exchange, send_and_yield, receive_and_yield, array, n_ranks=2)
    if found is not None:
        _expect_exchange(exam, found, array, "under mpiexec")


def _exchange(comm: Any, send: Any, receive: Any, array: Any) -> Any:
    """Both ranks send and receive at the same time, more than MPI keeps for a sender that does not wait."""
    got = np.zeros_like(array)

    async def both() -> None:
        await asyncio.wait_for(
            asyncio.gather(send(comm, array + comm.rank, 1 - comm.rank), receive(comm, got, 1 - comm.rank)), SECONDS
        )

    asyncio.run(both())
    return got


def _expect_exchange(exam: Examination, found: list[Any], array: Any, case: str) -> None:
    right = all(np.array_equal(got, array + (1 - rank)) for rank, got in enumerate(found))
    exam.expect("Two ranks send to each other at the same time, and both receive", right,
                f"{'equal' if right else 'not equal'}: {case}")  # fmt: skip


def _expect_turns(exam: Examination, name: str, function: Any, operation: str, turns: int) -> None:
    stage = _Stage(turns)
    array, other = exam.rng.normal(size=5), int(exam.rng.integers(1, 9))
    before = array.copy()
    error = _run(function, stage, array, other)
    exam.require(f"{name} runs without an error", error is None, f"{error}; the request needs {turns} turns")
    begun = [what for what, *_ in stage.buffers]
    exam.require(f"{name} begins one {operation}", begun == [operation], f"{', '.join(begun) or 'nothing'}")
    _, buffer, place = stage.buffers[0]
    exam.expect(f"{operation} gets the array itself, and the other rank's number",
                isinstance(buffer, np.ndarray) and np.shares_memory(buffer, array) and place == other,
                f"rank {place}, expected {other}")  # fmt: skip
    exam.expect("It calls Test until the request is done, then returns", stage.requests[0].done
                and stage.requests[0].asked > 0,
                f"it ended after {stage.ticks} turns of others; the request needed {turns}")  # fmt: skip
    exam.expect("Other coroutines get a turn each time the request is not done",
                stage.requests[0].asked <= turns + 3,
                f"Test was called {stage.requests[0].asked} times, others had {stage.ticks} turns")  # fmt: skip
    same = np.array_equal(array, before)
    exam.expect("It does not change the array", same, "unchanged" if same else "changed")


def _run(function: Any, stage: _Stage, array: Any, other: int) -> str | None:
    """Run the learner's coroutine beside another one, in a thread: a notebook has its own event loop."""
    errors: list[str] = []

    async def tick() -> None:
        while True:
            stage.ticks += 1
            await asyncio.sleep(0)

    async def main() -> None:
        beside = asyncio.ensure_future(tick())
        try:
            await asyncio.wait_for(_awaited(function(stage, array, other)), SECONDS)
        finally:
            beside.cancel()

    def work() -> None:
        try:
            asyncio.run(main())
        except TimeoutError as error:
            errors.append(str(error) or f"it did not end within {SECONDS} s")
        except Exception as error:
            errors.append(describe_error(error, function))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(2 * SECONDS)
    if thread.is_alive():
        return f"it did not end within {2 * SECONDS} s"
    return errors[0] if errors else None


async def _awaited(coroutine: Coroutine[Any, Any, Any]) -> None:
    await coroutine


# What several measurements say, and when they say nothing.


WORDS = ("slower", "faster", "cannot say")


@exercise("09.11", "summary", "verdict")
def check_overhead(exam: Examination, summary: Any, verdict: Any) -> None:
    """Median and spread are right, and there is no claim without three repeats that do not overlap."""
    for _ in range(40):
        seconds = (exam.rng.lognormal(0, 1, int(exam.rng.integers(1, 9)))).round(4).tolist()
        found = exam.call(summary, list(seconds))
        values = [number(exam, one, name) for one, name in
                  zip(several(exam, found, "median", "lowest", "highest"), ("median", "lowest", "highest"),
                      strict=True)]  # fmt: skip
        numbers = [float(np.median(seconds)), min(seconds), max(seconds)]
        for name, mine, right in zip(("median", "lowest", "highest"), values, numbers, strict=True):
            exam.expect(f"{name} is that of the measurements", abs(mine - right) < 1e-9,
                        f"{mine:g}, expected {right:g}, of {seconds}")  # fmt: skip
    for dask, mpi, true in _cases(exam.rng):
        word = exam.call(verdict, list(dask), list(mpi))
        exam.require("verdict is a word", isinstance(word, str), describe(word))
        exam.require("It is one of: slower, faster, cannot say", word.strip().lower() in WORDS, repr(word))
        exam.expect(
            _RULES[true],
            word.strip().lower() == true.partition(":")[0],
            f"{word!r} for Dask {dask} and MPI {mpi}",
        )


_RULES = {
    "slower": "slower: all times of Dask are longer than all times of MPI, with 3 repeats or more of each",
    "faster": "faster: all times of Dask are shorter than all times of MPI, with 3 repeats or more of each",
    "cannot say: few": "cannot say: fewer than 3 repeats of one of them",
    "cannot say: overlap": "cannot say: the ranges from lowest to highest overlap or touch",
}


def _cases(rng: np.random.Generator) -> list[tuple[list[float], list[float], str]]:
    cases: list[tuple[list[float], list[float], str]] = []
    for _ in range(15):
        n, m = (int(one) for one in rng.integers(3, 7, 2))
        low = (1 + rng.random(n)).round(3).tolist()
        high = (2.5 + rng.random(m)).round(3).tolist()
        cases += [(high, low, "slower"), (low, high, "faster")]
        few = [high[:2], high[:1]][int(rng.integers(2))]
        cases += [(few, low, "cannot say: few"), (low, few, "cannot say: few"), (few, low[:2], "cannot say: few")]
        # One slow outlier among fast ones: medians are far apart, ranges overlap.
        mixed = [*low[:-1], max(high) + 0.1] if rng.random() < 0.5 else [*low, round(float(np.mean(high)), 3)]
        cases += [(mixed, high, "cannot say: overlap"), (high, mixed, "cannot say: overlap")]
        touching = [max(low), *high]
        cases += [(touching, low, "cannot say: overlap"), (low, touching, "cannot say: overlap")]
    return [cases[place] for place in rng.permutation(len(cases))]
