"""Flights and patches of photos, from lazy tables to models, beside scikit-learn on the same rows in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gpucluster import datasets
from gpucluster.learn import PCA, LinearRegression, LogisticRegression, StandardScaler
from sklearn.decomposition import PCA as ReferencePCA
from sklearn.linear_model import LinearRegression as ReferenceRegression
from sklearn.linear_model import LogisticRegression as ReferenceClassifier
from sklearn.preprocessing import StandardScaler as ReferenceScaler

COLUMNS = ["dep_delay", "distance", "air_time", "hour"]


def test_delays_of_flights(dask_client: Any) -> None:
    flights = datasets.flights()[[*COLUMNS, "arr_delay"]].dropna().astype("float64")
    table = flights.compute()
    ours = LinearRegression().fit(flights[COLUMNS], flights["arr_delay"])
    theirs = ReferenceRegression().fit(table[COLUMNS], table["arr_delay"])
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)

    scaler, reference = StandardScaler().fit(flights[COLUMNS]), ReferenceScaler().fit(table[COLUMNS])
    np.testing.assert_allclose(scaler.scale_, reference.scale_, rtol=1e-10)
    options: dict[str, Any] = {"tol": 1e-7, "max_iter": 200}
    late = LogisticRegression(**options).fit(scaler.transform(flights[COLUMNS]), flights["arr_delay"] > 30)
    truth = ReferenceClassifier(**options).fit(reference.transform(table[COLUMNS]), table["arr_delay"] > 30)
    np.testing.assert_allclose(late.coef_, truth.coef_, atol=1e-4)


@pytest.mark.full
def test_components_of_photographs(dask_client: Any) -> None:
    X = datasets.patches(5, photo="china", n_blocks=7)
    truth = ReferencePCA(10, svd_solver="full").fit(X.compute().astype(np.float64))
    ours = PCA(10).fit(X)
    assert ours.components_.dtype == np.float32
    np.testing.assert_allclose(ours.explained_variance_ratio_, truth.explained_variance_ratio_, rtol=1e-4)
    np.testing.assert_allclose(ours.components_[:6], truth.components_[:6], atol=1e-4)
