"""Lesson 08, predictions: when they are computed, where they stay, and whose they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, Halt, describe, describe_error
from ...material.conversion import as_numpy
from ...probes.transfers import Traffic
from .. import exercise
from ..answers import Floats, in_blocks


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
    unknown = known[known[:, 0] > 0]  # nobody has counted these rows yet: its nbytes is not a number
    right = values[values[:, 0] > 0]
    for array, true, what in ((known, values, "an array"), (unknown, right, "an array whose length is not known")):
        for limit in (true.nbytes, 10 * true.nbytes):
            result = exam.call(_unless_refused, collect, array, limit)
            exam.require("Within the limit, all rows arrive", not isinstance(result, MemoryError),
                         f"MemoryError for {what} of {true.nbytes:,} bytes, with a limit of {limit:,}")  # fmt: skip
            plain = np.asarray(as_numpy(result))
            same = plain.shape == true.shape and np.array_equal(plain, true)
            exam.expect(
                "Within the limit, all rows arrive", same, f"shape {plain.shape} for {true.nbytes:,} bytes, limit "
                f"{limit:,}",
            )  # fmt: skip
        with Traffic(exam.client) as traffic:
            refused = _refusal(collect, array, true.nbytes - 8)
        exam.expect(
            "Above the limit it raises MemoryError", refused.startswith("MemoryError"), f"{refused} for {what} one "
            "number too large",
        )  # fmt: skip
        exam.expect(
            "It refuses before the data travel",
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
        "share_wrong is the share of rows whose label is not the model's, from 0 to 1",
        abs(share - expected) < 1e-9,
        f"{share:.4f}, expected {expected:.4f}",
    )
