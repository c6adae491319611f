"""Metrics and classifiers accept and refuse the same labels as scikit-learn on the same data in memory."""

import warnings
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from gpucluster import learn
from gpucluster.learn import metrics as ours
from gpucluster.learn.errors import InvalidData
from sklearn import ensemble, linear_model, naive_bayes, neighbors, neural_network
from sklearn import metrics as theirs

BITS = np.array([0, 1, 1, 0, 1, 0])
FEW = np.array([0, 1, 2, 0, 1, 1])
WORDS = np.array(["0", "1", "1", "0", "1", "1"])
INDICATOR = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0]])


LABELS: dict[str, Any] = {
    "two ints": BITS, "three ints": FEW, "bools": BITS == 1, "whole floats": FEW.astype(float),
    "fractions": FEW + 0.5, "last is fraction": np.array([0, 1, 1, 0, 1, 0.5]),
    "missing float": np.array([0, 1, np.nan, 0, 1, np.nan]), "text": WORDS, "object text": WORDS.astype(object),
    "object ints": FEW.astype(object), "object of both": np.array(["0", "1", 1, "0", "1", 0], dtype=object),
    "missing text": np.array(["0", None, "1", "0", "1", None], dtype=object), "bytes": WORDS.astype("S"),
    "column": FEW[:, None], "indicator": INDICATOR, "bool indicator": INDICATOR == 1,
    "wider indicator": np.hstack([INDICATOR, BITS[:, None]]), "several outputs": INDICATOR + FEW[:, None],
    "fractions of several": INDICATOR + 0.5, "str series": pd.Series(WORDS, dtype="str"),
    "str series, missing": pd.Series(["0", None, "1", "0", "1", "1"], dtype="str"),
    "string series": pd.Series(WORDS, dtype="string"), "pyarrow series": pd.Series(WORDS, dtype="string[pyarrow]"),
    "text category": pd.Series(WORDS, dtype="category"), "int category": pd.Series(FEW, dtype="category"),
    "missing category": pd.Series([0, None, 1, 0, 1, 1], dtype="category"),
    "Int64 series": pd.Series(FEW, dtype="Int64"),
    "Int64 series, missing": pd.Series([0, None, 1, 0, 1, 1], dtype="Int64"),
    "boolean series": pd.Series(BITS == 1, dtype="boolean"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def _in_this_thread() -> Iterator[None]:
    with dask.config.set(scheduler="sync"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _on_dask(labels: Any) -> Any:
    if isinstance(labels, pd.Series):
        return dd.from_pandas(labels, npartitions=2)
    return da.from_array(labels, chunks=(3, *labels.shape[1:]), name=False)


def _outcome(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a function of this package, or ``"refused"``."""
    try:
        return _plain(function(*arguments))
    except InvalidData:
        return "refused"


def _expected(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a function of scikit-learn, or ``"refused"``; it raises some TypeErrors too."""
    try:
        return _plain(function(*arguments))
    except (TypeError, ValueError):
        return "refused"


def _plain(result: Any) -> Any:
    if isinstance(result, list):
        return [part.tolist() for part in result]
    values = np.asarray(result)
    return (values.round(9) if values.dtype.kind == "f" else values).tolist()


@pytest.mark.parametrize("metric", ["accuracy_score", "confusion_matrix", "adjusted_rand_score"])
@pytest.mark.full
def test_pairs_of_labels_like_scikit_learn(metric: str) -> None:
    more = {"bytes", "column"} if metric == "adjusted_rand_score" else set()  # accepted here only
    labels = {name: values for name, values in LABELS.items() if name not in more}
    lazy = {name: _on_dask(values) for name, values in labels.items()}
    different = {}
    for first, second in combinations_with_replacement(labels, 2):
        found = _outcome(getattr(ours, metric), lazy[first], lazy[second])
        expected = _expected(getattr(theirs, metric), labels[first], labels[second])
        if found != expected:
            different[first, second] = found, expected
    assert different == {}


ROWS = np.random.default_rng(1).random((6, 2))
FRAME = pd.DataFrame(ROWS, columns=["a", "b"])
MODELS = [
    (learn.GaussianNB(), naive_bayes.GaussianNB()),
    (learn.LogisticRegression(), linear_model.LogisticRegression()),
    (learn.MLPClassifier(max_iter=2), neural_network.MLPClassifier(max_iter=2)),
    (learn.KNeighborsClassifier(2), neighbors.KNeighborsClassifier(2)),
    (learn.RandomForestClassifier(3, random_state=0), ensemble.RandomForestClassifier(3, random_state=0)),
]


@pytest.mark.parametrize("models", MODELS, ids=lambda models: type(models[0]).__name__)
@pytest.mark.full
def test_classifiers_like_scikit_learn(models: tuple[Any, Any]) -> None:
    mine, other = models
    different = {}
    for name, labels in LABELS.items():
        X: Any = dd.from_pandas(FRAME, npartitions=2) if isinstance(labels, pd.Series) else _on_dask(ROWS)
        y = _on_dask(labels)
        if name != "bytes" and (labels.size <= len(ROWS) or isinstance(mine, learn.KNeighborsClassifier)):
            found, expected = _outcome(_classes, mine, X, y), _expected(_classes, other, ROWS, labels)
            if found != expected:
                different[name, "classes"] = found, expected
        for known in (FEW, WORDS):
            found, expected = _outcome(_score, mine, known, X, y), _expected(_score, other, known, ROWS, labels)
            # The network draws different batches from scikit-learn's.
            if found != expected and (not isinstance(mine, learn.MLPClassifier) or "refused" in (found, expected)):
                different[name, f"score of {known.dtype}"] = found, expected
    assert different == {}


def _classes(model: Any, X: Any, y: Any) -> Any:
    return model.fit(X, y).classes_


def _score(model: Any, known: Any, X: Any, y: Any) -> Any:
    return model.fit(ROWS, known).score(X, y)


def test_regression_metrics_like_scikit_learn() -> None:
    different = {}
    for name, labels in LABELS.items():
        for metric in ("mean_squared_error", "r2_score"):
            y, guess = _on_dask(labels), labels if isinstance(labels, pd.Series) else labels[::-1].copy()
            found = _outcome(getattr(ours, metric), y, _on_dask(guess))
            expected = _expected(getattr(theirs, metric), labels, guess)
            if found != expected:
                different[name, metric] = found, expected
    assert different == {}


def test_several_labels_per_row() -> None:
    X, weights = np.random.default_rng(0).random((40, 3)), np.arange(40.0)
    y = (X > 0.5).astype(int)
    lazy = _on_dask(X)
    guess = learn.KNeighborsClassifier(3).fit(lazy, _on_dask(y)).predict(lazy)
    reference = neighbors.KNeighborsClassifier(3).fit(X, y)
    for options in ({}, {"normalize": False}, {"sample_weight": weights}):
        found = ours.accuracy_score(_on_dask(y), guess, **options)
        assert found == pytest.approx(theirs.accuracy_score(y, reference.predict(X), **options))


@pytest.mark.parametrize("kind", ["three ints", "object text", "str series", "text category", "Int64 series"])
def test_one_in_memory(kind: str) -> None:
    labels = LABELS[kind]
    lazy = _on_dask(np.asarray(labels))
    assert ours.accuracy_score(lazy, labels) == ours.accuracy_score(labels, lazy) == 1.0
    series = dd.from_pandas(pd.Series(labels), npartitions=2)
    parts_of_two = da.from_array(np.asarray(labels), chunks=2)
    for parts in [(series, labels), (labels, series), (series, parts_of_two), (parts_of_two, series), (series, lazy)]:
        assert ours.accuracy_score(*parts) == 1.0
    weights = dd.from_pandas(pd.Series(np.arange(6.0)), npartitions=3)
    assert ours.accuracy_score(series, labels, normalize=False, sample_weight=weights) == 15
    frame = dd.from_pandas(pd.DataFrame(ROWS), npartitions=2)
    expected = learn.LogisticRegression().fit(ROWS, np.asarray(labels)).score(ROWS, np.asarray(labels))
    for X in (_on_dask(ROWS), frame):
        assert learn.LogisticRegression().fit(X, labels).score(X, labels) == expected


def test_different_blocks_of_unknown_lengths_are_refused() -> None:
    series, halves = dd.from_pandas(pd.Series(FEW), npartitions=2), da.from_array(FEW, chunks=4)
    X = da.from_array(ROWS, chunks=(4, -1))
    for call in (
        lambda: ours.accuracy_score(series, halves),
        lambda: ours.mean_squared_error(halves, series),
        lambda: ours.log_loss(halves, da.full((6, 3), 1 / 3, chunks=(4, -1)), sample_weight=series),
        lambda: learn.GaussianNB().fit(X, series),
        lambda: learn.KNeighborsClassifier().fit(X, series),
    ):
        with pytest.raises(InvalidData, match=r"chunks do not match: a block of \d rows is next to"):
            call()


def test_messages_name_the_argument() -> None:
    three, two = _on_dask(np.arange(3)), _on_dask(np.arange(2))
    unknown = dd.from_pandas(pd.Series(np.arange(6)), npartitions=3)
    other = dd.from_pandas(pd.Series(np.arange(5)), npartitions=2)
    unknown_rows = dd.from_pandas(pd.DataFrame(ROWS[:3]), npartitions=2)
    y = _on_dask(np.array(["a", None, "b", None], dtype=object))
    for message, call in [
        ("y_pred: has 2 rows, but y_true has 3", lambda: ours.accuracy_score(three, two)),
        ("y_proba: has 2 rows, but y_true has 3", lambda: ours.log_loss(three, two)),
        ("labels_pred: has 2 rows, but labels_true has 3", lambda: ours.adjusted_rand_score(three, two)),
        ("labels: has 2 rows, but X has 3", lambda: ours.silhouette_score(three[:, None], two)),
        ("y_pred: has 5 rows, but y_true has 6", lambda: ours.r2_score(unknown, np.arange(5))),
        ("y_true: has 5 rows, but y_pred has 6", lambda: ours.r2_score(np.arange(5), unknown)),
        ("y_pred: has 5 rows, but y_true has 6", lambda: ours.r2_score(unknown, other)),
        ("y: has 2 rows, but X has 3", lambda: learn.GaussianNB().fit(ROWS, FEW).score(unknown_rows, FEW[:2])),
        (
            "the prediction: has 3 rows, but y has 2",
            lambda: learn.GaussianNB().fit(ROWS, FEW).score(_on_dask(ROWS[:3]), two),
        ),
        ("labels_true: 2 labels are missing", lambda: ours.adjusted_rand_score(y, y)),
        ("y_true: 2 labels are missing", lambda: ours.accuracy_score(y, y)),
        ("y: 2 labels are missing", lambda: learn.LabelEncoder().fit(y)),
    ]:
        with pytest.raises(InvalidData, match=f"^{message}"):
            call()
