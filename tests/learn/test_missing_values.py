"""Predictions for rows with missing or infinite values: an error, as in scikit-learn, not any class or cluster."""

from __future__ import annotations

from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from gpucluster.learn import (
    PCA,
    GaussianNB,
    KMeans,
    LinearRegression,
    LogisticRegression,
    MultinomialNB,
    RandomForestClassifier,
    StandardScaler,
)
from gpucluster.learn.errors import InvalidData

X = np.random.default_rng(0).random((60, 3))
Y = np.arange(60) % 2
MODELS = [
    GaussianNB(), KMeans(2, random_state=0), LinearRegression(), LogisticRegression(), MultinomialNB(), PCA(2),
    RandomForestClassifier(4, random_state=0),
]  # fmt: skip


def _answer(model: Any, data: Any) -> Any:
    return (model.predict if hasattr(model, "predict") else model.transform)(data)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_they_are_refused(model: Any, value: float) -> None:
    model.fit(X, Y)
    bad = X.copy()
    bad[45, 1] = value
    with pytest.raises(InvalidData, match="X: contains NaN or infinity"):
        _answer(model, da.from_array(bad, chunks=(20, -1))).compute()
    frame = pd.DataFrame(X, columns=list("abc"))
    model.fit(frame, Y)
    with pytest.raises(InvalidData, match="X: contains NaN or infinity"):
        _answer(model, dd.from_pandas(frame.assign(b=bad[:, 1]), npartitions=3)).compute()


def test_large_numbers_are_not_infinite() -> None:
    large = np.full((4, 3), 1e308)
    model = KMeans(1).fit(X)
    assert (model.predict(da.from_array(large, chunks=(2, -1))).compute() == 0).all()


def test_scaling_lets_missing_values_through() -> None:
    holes = X.copy()
    holes[7, 2] = np.nan
    data = da.from_array(holes, chunks=(20, -1))
    scaled = StandardScaler().fit(data).transform(data).compute()
    assert np.flatnonzero(np.isnan(scaled).any(axis=1)).tolist() == [7]
    holes[7, 2] = np.inf
    with pytest.raises(InvalidData, match="X: contains infinity"):
        StandardScaler().fit(X).transform(da.from_array(holes, chunks=(20, -1))).compute()
