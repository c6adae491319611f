"""The checks of lesson 08, models."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from ....protocol.plain_text import counted
from ...answers import Floats, in_blocks, several
from ...checks import exercise
from ...examination import Examination, Halt, describe, describe_error, type_name
from ...material.conversion import as_numpy
from ...probes.transfers import Traffic
from ...simulations.recovery import TaskHistory

# Forests: trees that grew on different blocks vote, and rows are dealt out before they grow.


FARTHEST = 0.2
"""How far a share may be from what chance gives: ten times its standard deviation over random orders."""


@exercise("08.4", "vote", "deal")
def check_forest(exam: Examination, vote: Any, deal: Any) -> None:
    """Forests that know different classes vote on all of them; dealing gives every block every class."""
    _expect_votes(exam, vote, [[0, 2], [1, 2, 3], [0, 1, 3]])
    _expect_votes(exam, vote, [[0, 3], [1, 3], [0, 1]])  # class 2 was never seen
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
        "Each row gets the class with the largest share of all trees, even where a forest has never seen a class",
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
        "The mean is over all forests: a class that a forest does not know has probability 0 there",
        found.shape == (4,) and bool((found == right).all()),
        f"class {found.ravel()[0]}, expected {right}: 0.9 in one of four forests is less than 0.6 in three",
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
    exam.expect("Every row occurs exactly once", kept, "all are" if kept else told)
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
    exam.expect("The same seed gives the same order", np.array_equal(first, again), f"seed {seed}, twice")
    exam.expect("Another seed gives another order", not np.array_equal(first, other), f"seeds {seed} and {seed + 1}")
    whole = np.array_equal(np.sort(first), np.sort(X[:, 0])) and np.array_equal(np.sort(other), np.sort(X[:, 0]))
    exam.require("Every row occurs exactly once", whole, f"not so with the seeds {seed} and {seed + 1}")
    places = [_places(X[:, 0], one) for one in (first, other)]
    blocks = [cut[place] for cut, place in zip((cuts[0], cuts[2]), places, strict=True)]
    shares = [np.bincount(one, minlength=len(X)) / len(X) for one in blocks]
    expected, twice = float(shares[0] @ shares[0]), float(shares[0] @ shares[1])
    together = [float((blocks[0][step:] == blocks[0][:-step]).mean()) for step in range(1, 61)]
    strangest = max(range(60), key=lambda place: abs(together[place] - expected))
    exam.expect(
        "The order is random: a row's position says nothing about the next rows' positions",
        abs(together[strangest] - expected) < FARTHEST,
        f"of rows that were {strangest + 1} apart, {together[strangest]:.0%} came into the same block; "
        f"by chance it is {expected:.0%}",
    )
    shifts = np.bincount((places[1] - places[0]) % len(X))
    same = max(float((blocks[0] == blocks[1]).mean()), float(shifts.max() / len(X)))
    exam.expect("Another seed reshuffles: the order is not a shifted copy", same < twice + FARTHEST,
                f"{same:.0%} of the rows were shifted together, or are in the same block as before")  # fmt: skip


# One model to take along: written to a file, read again, used without the cluster.


@exercise("08.9", "keep", "bring_back")
def check_keeping(exam: Examination, keep: Any, bring_back: Any) -> None:
    """Two models go into two files; each comes back as itself and predicts the same."""
    from gpucluster.learn import KMeans, Ridge

    X = exam.rng.normal(size=(4000, 4)) + exam.rng.integers(0, 3, (4000, 1)) * 6
    y = X @ exam.rng.normal(size=4) + 1
    with exam.client.as_current(), tempfile.TemporaryDirectory() as folder:
        rows = in_blocks(X, [2000, 2000])
        models = [
            KMeans(3, init=X[:3] + exam.rng.normal(size=(3, 4)), n_init=1).fit(rows),
            Ridge(alpha=1.0).fit(rows, in_blocks(y, [2000, 2000])),
        ]
        queries = np.concatenate([exam.rng.normal(3, 4, (60, 4)), _between(exam, as_numpy(models[0].cluster_centers_))])
        true = [np.asarray(as_numpy(model.predict(queries))) for model in models]
        home = Path(folder) / "models"
        home.mkdir()
        paths = [home / name for name in ("groups.model", "line.model")]
        for model, path in zip(models, paths, strict=True):
            _keep(exam, keep, model, str(path))
        for model, path, expected in zip(models, paths, true, strict=True):
            exam.require("There is a file at the path that was given", path.is_file(), f"no {path.name}")
            size = path.stat().st_size
            exam.expect(
                "The file holds the model, not the data",
                size < 0.3 * X.nbytes,
                f"{size:,} bytes; the data have {X.nbytes:,}",
            )
            again = exam.call(bring_back, str(path))
            exam.require("The loaded model can predict", hasattr(again, "predict"), f"it is a {type_name(again)}")
            exam.expect(
                "It was read from the file, not kept in memory",
                again is not model,
                "another object" if again is not model else "the same object as before",
            )
            with TaskHistory(exam.client) as history:
                answer = exam.call(again.predict, queries.copy())
            exam.expect("It predicts in memory, without the cluster", not history.computed,
                        f"{sum(history.computed.values())} tasks ran on the workers")  # fmt: skip
            exam.expect("For rows in memory it returns numbers immediately", not hasattr(answer, "compute"),
                        type_name(answer))  # fmt: skip
            found = np.asarray(as_numpy(answer))
            same = found.shape == expected.shape and bool(np.allclose(found, expected, rtol=1e-9, atol=1e-9))
            exam.expect(
                "It gives the same predictions, for rows in memory",
                same,
                f"{type_name(again)}: {'equal' if same else 'different'} for {len(queries)} rows",
            )
        exam.require("The files were not changed by reading", all(path.is_file() for path in paths), "one is gone")
        _expect_all_in_the_file(exam, bring_back, paths, queries, true)


def _between(exam: Examination, centres: Any) -> Any:
    """Rows so close to the border of two groups that only centres with all their digits put them on the right side."""
    one, other = (np.asarray(centres, dtype=float)[exam.rng.integers(0, len(centres), 60)] for _ in range(2))
    away = exam.rng.choice([-1, 1], (60, 1)) * exam.rng.uniform(1e-9, 3e-9, (60, 1))
    return (one + other) / 2 + away * (other - one)


def _expect_all_in_the_file(exam: Examination, bring_back: Any, paths: list[Path], queries: Any, true: Any) -> None:
    """A file that moves takes its model along, without any other file, and a file without content has none."""
    home = paths[0].parent
    elsewhere = home.parent / "elsewhere"
    elsewhere.mkdir()
    moved = [elsewhere / f"copy-{number}-of-{path.name}" for number, path in enumerate(paths)]
    for path, copy in zip(paths, moved, strict=True):
        shutil.copyfile(path, copy)
    shutil.rmtree(home)  # whatever was written beside the file is gone
    home.mkdir()
    for path, copy in zip(paths, reversed(moved), strict=True):
        shutil.copyfile(copy, path)  # each name now has the other's content
    for path, expected in zip([*moved, *reversed(paths)], [*true, *true], strict=True):
        exam.expect(
            "The file holds the whole model: a copy of only this file, in another folder, gives the same model",
            _predicts(bring_back, path, queries, expected),
            f"read from {path.name}",
        )
    for path in paths:
        path.write_bytes(bytes(path.stat().st_size))
    left = [_predicts(bring_back, path, queries, one) for path in paths for one in true]
    exam.expect(
        "The file holds the whole model: if it is overwritten with zeros, nothing can be loaded",
        not any(left),
        "a model was loaded anyway" if any(left) else "no model",
    )


def _predicts(bring_back: Any, path: Path, queries: Any, expected: Any) -> bool:
    try:
        found = np.asarray(as_numpy(bring_back(str(path)).predict(queries.copy())))
        return found.shape == expected.shape and bool(np.allclose(found, expected, rtol=1e-9, atol=1e-9))
    except Exception:
        return False


def _keep(exam: Examination, keep: Any, model: Any, path: str) -> None:
    def called(*args: Any) -> bool:
        keep(*args)
        return True  # keep may return nothing

    exam.require("keep is a function", callable(keep), f"it is a {type_name(keep)}")
    exam.call(called, model, path)


# Predictions: when they are computed, where they stay, and whose they are.


def fitted_kmeans(exam: Examination, k: int = 4) -> tuple[Any, Floats]:
    """Return a fitted model of the library, and points in random order whose groups are clear."""
    from gpucluster.learn import KMeans

    centres = exam.rng.permutation(np.array([[0.0, 0], [40, 5], [5, 40], [45, 45], [80, 0]]))[:k]
    points = centres[exam.rng.integers(0, k, 8000)] + exam.rng.normal(0, 1, (8000, 2))
    return KMeans(k, init=centres + exam.rng.normal(0, 1, (k, 2)), n_init=1).fit(points), points


@exercise("08.6", "predict_rows", "collect")
def check_collecting(exam: Examination, predict_rows: Any, collect: Any) -> None:
    """Lazy means that nothing was computed; eager, that it was, and stayed; collecting has a limit."""
    from dask.base import is_dask_collection
    from distributed import futures_of, wait

    model, points = fitted_kmeans(exam)
    true = np.asarray(model.predict(points))
    with exam.client.as_current():
        X = in_blocks(points, [2500, 2500, 3000])
        for delayed in (True, False):
            with Traffic(exam.client) as traffic:
                result = exam.call(predict_rows, model, X, delayed)
                exam.require(
                    "It returns a Dask collection, lazy or not", is_dask_collection(result), f"{describe(result)}, "
                    f"with delayed={delayed}",
                )  # fmt: skip
                futures = futures_of(result)
                if delayed:
                    exam.expect(
                        "delayed=True: nothing is computed yet", not futures, f"{len(futures)} results on the workers"
                    )
                else:
                    wait(futures)
            share = traffic.bytes / true.nbytes
            exam.expect(
                "The labels stay on the workers",
                share < 0.5,
                f"{traffic.bytes:,} bytes left them; the labels have {true.nbytes:,}",
            )
            if not delayed:
                shapes = exam.client.gather(exam.client.map(np.shape, futures, pure=False))
                made = sum(shape[0] for shape in shapes if len(shape) == 1)
                exam.expect(
                    "delayed=False: the labels are computed, and on the workers",
                    made == len(true),
                    f"{made:,} labels on the workers, for {len(true):,} rows",
                )
            same = np.array_equal(as_numpy(result.compute()), true)
            exam.expect("They are the model's labels, in the order of X", same, "they are" if same else "they are not")
        _expect_limit(exam, collect)


def _expect_limit(exam: Examination, collect: Any) -> None:
    exam.require("It is a function", callable(collect), f"it is {describe(collect)}")
    values = exam.rng.normal(size=(int(exam.rng.integers(3000, 5000)), 3))
    sizes = [1000, 1000, len(values) - 2000]
    known = in_blocks(values, sizes)
    unknown = known[known[:, 0] > 0]  # these rows are not counted yet: its nbytes is not a number
    right = values[values[:, 0] > 0]
    for array, true, what in ((known, values, "an array"), (unknown, right, "an array whose length is not known")):
        for limit in (true.nbytes, 10 * true.nbytes):
            result = exam.call(_unless_refused, collect, array, limit)
            exam.require("Within the limit, all rows come back", not isinstance(result, MemoryError),
                         f"MemoryError for {what} of {true.nbytes:,} bytes, with a limit of {limit:,}")  # fmt: skip
            plain = np.asarray(as_numpy(result))
            same = plain.shape == true.shape and np.array_equal(plain, true)
            exam.expect(
                "Within the limit, all rows come back", same, f"shape {plain.shape} for {true.nbytes:,} bytes, limit "
                f"{limit:,}",
            )  # fmt: skip
        with Traffic(exam.client) as traffic:
            refused = _refusal(collect, array, true.nbytes - 8)
        exam.expect(
            "Above the limit it raises MemoryError", refused.startswith("MemoryError"), f"{refused} for {what} one "
            "number too large",
        )  # fmt: skip
        exam.expect(
            "It refuses before any data is sent",
            traffic.bytes < 0.3 * true.nbytes,
            f"{traffic.bytes:,} bytes left the workers; the data have {true.nbytes:,}",
        )


def _unless_refused(collect: Any, array: Any, limit: int) -> Any:
    try:
        return collect(array, limit)
    except MemoryError as error:
        return error


def _refusal(collect: Any, array: Any, limit: int) -> str:
    try:
        result = collect(array, limit)
    except Exception as error:
        return describe_error(error).partition(" (in ")[0]
    return f"it returned {describe(result)}"


class LabelsOutOfOrder:
    """A fitted model whose ``labels_`` are not in the order of the rows, as cuML's can be on several workers."""

    def __init__(self, model: Any, labels: Any) -> None:
        self.cluster_centers_, self.labels_, self.predict = model.cluster_centers_, labels, model.predict


@exercise("08.7", "row_labels", "share_wrong")
def check_labels(exam: Examination, row_labels: Any, share_wrong: Any) -> None:
    """Labels belong to the rows of X, and labels that do not are found out."""
    sizes = [2000, 1500, 2500, 2000]
    for _ in range(2):
        model, points = fitted_kmeans(exam, 5)
        true = np.asarray(model.predict(points))
        edges = np.cumsum([0, *sizes])
        order = exam.rng.permutation(4)
        while np.array_equal(order, np.arange(4)):
            order = exam.rng.permutation(4)
        moved = np.concatenate([true[edges[i] : edges[i + 1]] for i in order])
        with exam.client.as_current():
            X = in_blocks(points, sizes)
            result = exam.call(row_labels, LabelsOutOfOrder(model, moved.copy()), X)
            found = np.asarray(as_numpy(result.compute() if hasattr(result, "compute") else result))
            exam.require("There is one label for each row", found.shape == true.shape, f"shape {found.shape}")
            same = float((found == true).mean())
            exam.expect("Each row has its own label, in the order of X", same == 1, f"{same:.1%} of the rows")
            for labels in (moved, true):
                _expect_share(exam, share_wrong, labels, LabelsOutOfOrder(model, labels), X, true)


def _expect_share(exam: Examination, share_wrong: Any, labels: Any, model: Any, X: Any, true: Any) -> None:
    result = exam.call(share_wrong, labels.copy(), model, X)
    try:
        share = float(result.compute() if hasattr(result, "compute") else result)
    except (TypeError, ValueError):
        exam.require("share_wrong returns one number", False, describe(result))
        raise Halt from None
    expected = float((labels != true).mean())
    exam.expect(
        "share_wrong is the fraction of rows whose label differs from the model's, from 0 to 1",
        abs(share - expected) < 1e-9,
        f"{share:.4f}, expected {expected:.4f}",
    )


# A search with joblib: the same answer from threads, processes and the cluster.


BACKENDS = ("threading", "loky", "dask")
FOLDS = 3
CANDIDATES = {
    (("n_neighbors", number), ("weights", weights)) for number in (1, 3, 10) for weights in ("uniform", "distance")
}


class WhoFitsMe(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns nothing. Its score is the number of the process that computed it."""

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def fit(self, X: Any, y: Any) -> WhoFitsMe:
        """Note the classes, as scikit-learn wants it."""
        self.classes_ = np.unique(y)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the process."""
        return float(os.getpid())


@exercise("08.10", "search", "found")
def check_search(exam: Examination, search: Any, found: Any) -> None:
    """The three searches agree, and each ran where its name says."""
    is_dict = isinstance(found, dict) and set(found) == set(BACKENDS)
    exam.require(f"found is a dictionary with the keys {', '.join(BACKENDS)}", is_dict, describe(found))
    best = [getattr(result, "best_params_", None) for result in found.values()]
    exam.require("Each of its values is a fitted GridSearchCV", None not in best, describe(next(iter(found.values()))))
    exam.expect("All three found the same best parameters", best[0] == best[1] == best[2], f"{best}")
    _expect_searches(exam, found)
    kernel, workers = os.getpid(), set(exam.client.run(os.getpid).values())
    alone = sum(exam.client.nthreads().values()) == 1
    grid = {"number": [int(value) for value in exam.rng.choice(100, 4, replace=False)]}
    X, y = exam.rng.normal(size=(24, 2)), np.tile([0, 1], 12)
    for backend in BACKENDS:
        with exam.client.as_current():
            result = exam.call(search, backend, WhoFitsMe(), dict(grid), X.copy(), y.copy())
        results: Any = getattr(result, "cv_results_", None)
        exam.require("search returns a fitted GridSearchCV", results is not None, describe(result))
        tried = sorted(parameters["number"] for parameters in results["params"])
        exam.expect("Every value of the grid was tried", tried == sorted(grid["number"]), f"{len(tried)} of 4 values")
        _expect_folds(exam, result)
        places = {int(value) for name in results if name.startswith("split") for value in results[name]}
        exam.expect(*_where(backend, places, kernel, workers, alone))


def _expect_folds(exam: Examination, result: Any) -> None:
    folds = int(getattr(result, "n_splits_", 0))
    exam.expect("The cross-validation is three-fold", folds == FOLDS, f"{folds} folds")


def _expect_searches(exam: Examination, found: dict[str, Any]) -> None:
    """Three searches of the cell's grid, each of them run: no two take the same time to the last digit."""
    times = []
    for result in found.values():
        results = result.cv_results_
        tried = [tuple(sorted(parameters.items())) for parameters in results["params"]]
        exam.expect("found has searches over the whole grid", set(tried) == CANDIDATES, f"{len(tried)} combinations")
        _expect_folds(exam, result)
        times.append(tuple(np.asarray(results["mean_fit_time"], dtype=float).tolist()))
    different = len(set(times))
    exam.expect("Each backend has its own search in found", different == len(BACKENDS),
                f"{different} different searches" if different > 1 else "three times the same one")  # fmt: skip


def _where(backend: str, places: set[int], kernel: int, workers: set[int], alone: bool) -> tuple[str, bool, str]:
    here, there = kernel in places, bool(places & workers)
    others = len(places - workers - {kernel})
    seen = f"in the notebook: {'yes' if here else 'no'}, workers: {len(places & workers)}, other processes: {others}"
    if backend == "threading":
        return "threading: all work is done in the notebook's own process", places == {kernel}, seen
    if backend == "loky":
        return "loky: all work is done in separate processes on this machine", not here and not there, seen
    if alone:  # such as one GPU worker: joblib then uses no backend at all
        said = "dask: all work is done by the workers, or here, as joblib hands nothing to a cluster of one thread"
        return said, places <= {*workers, kernel}, seen
    return "dask: all work is done by the workers of the cluster", places <= workers, seen
