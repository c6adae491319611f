"""Run under ``mpiexec``: fits of ranks on their own rows equal those of one process on all rows."""

from __future__ import annotations

import warnings

import numpy as np
from gpucluster.learn import (
    PCA,
    GaussianNB,
    KMeans,
    KNeighborsClassifier,
    LabelEncoder,
    LinearRegression,
    LogisticRegression,
    MLPClassifier,
    MPICommunicator,
    MultinomialNB,
    NearestNeighbors,
    RandomForestClassifier,
    StandardScaler,
    accuracy_score,
    config_context,
    r2_score,
    tsqr,
)
from sklearn.datasets import load_digits

warnings.simplefilter("error")
communicator = MPICommunicator()
X, y = load_digits(return_X_y=True)
order = np.argsort(y, kind="stable")  # so that ranks have different classes
X, y = X[order], y[order]
mine = np.array_split(np.arange(len(X)), communicator.size)[communicator.rank]

STARTS = {"given": X[::180][:10], "k-means++": "k-means++", "k-means||": "k-means||", "random": "random"}


def clusters(init: str) -> KMeans:
    return KMeans(10, init=STARTS[init], n_init=1, random_state=3)


with config_context(communicator=communicator):
    clusterings = {init: clusters(init).fit(X[mine]) for init in STARTS}
    # Each rank would draw a different seed: they must agree on one.
    inertias = communicator.allgather(KMeans(10).fit(X[mine]).inertia_)
    gaussian = GaussianNB().fit(X[mine], y[mine])
    multinomial = MultinomialNB().fit(X[mine], y[mine])
    neighbors = KNeighborsClassifier().fit(X[mine], y[mine])
    shares = neighbors.predict_proba(X[mine][:50])
    distances, _ = NearestNeighbors().fit(X[mine]).kneighbors()
    accuracy = accuracy_score(y[mine], gaussian.predict(X[mine]))
    r2 = r2_score(y[mine].astype(float), gaussian.predict(X[mine]).astype(float))
    components = PCA(3).fit(X[mine]).components_
    scales = StandardScaler().fit(X[mine]).scale_
    linear = LinearRegression().fit(X[mine], y[mine]).coef_
    logistic = LogisticRegression(C=0.01, tol=1e-8, max_iter=1000).fit(X[mine] / 16, y[mine]).coef_
    Q, R = tsqr(X[mine, 20:30])
    classes = LabelEncoder().fit(y[mine]).classes_
    forest = RandomForestClassifier(10, random_state=0).fit(X[mine], y[mine])
    losses = MLPClassifier((16,), max_iter=4, random_state=3).fit(X[mine] / 16, y[mine]).loss_curve_

for init, found in clusterings.items():
    serial = clusters(init).fit(X)
    np.testing.assert_allclose(found.cluster_centers_, serial.cluster_centers_, atol=1e-9)
    np.testing.assert_allclose(found.inertia_, serial.inertia_, rtol=1e-9)
    np.testing.assert_array_equal(found.labels_, serial.labels_[mine])
    assert found.n_iter_ == serial.n_iter_
assert len(set(inertias)) == 1
np.testing.assert_allclose(gaussian.var_, GaussianNB().fit(X, y).var_, rtol=1e-9)
np.testing.assert_array_equal(multinomial.feature_count_, MultinomialNB().fit(X, y).feature_count_)
np.testing.assert_array_equal(shares, KNeighborsClassifier().fit(X, y).predict_proba(X[mine][:50]))
np.testing.assert_allclose(distances, NearestNeighbors().fit(X).kneighbors()[0][mine], atol=1e-6)
np.testing.assert_allclose(accuracy, accuracy_score(y, gaussian.predict(X)))
np.testing.assert_allclose(r2, r2_score(y.astype(float), gaussian.predict(X).astype(float)))
np.testing.assert_allclose(components, PCA(3).fit(X).components_, atol=1e-9)
np.testing.assert_allclose(scales, StandardScaler().fit(X).scale_, rtol=1e-9)
np.testing.assert_allclose(linear, LinearRegression().fit(X, y).coef_, atol=1e-9)
alone = LogisticRegression(C=0.01, tol=1e-8, max_iter=1000).fit(X / 16, y).coef_
np.testing.assert_allclose(logistic, alone, atol=1e-5)
np.testing.assert_allclose(Q @ R, X[mine, 20:30], atol=1e-9)
np.testing.assert_allclose(R, tsqr(X[:, 20:30])[1], atol=1e-9)
np.testing.assert_array_equal(classes, range(10))
np.testing.assert_array_equal(forest.classes_, range(10))
assert len(forest.estimators_) == 10
alone = MLPClassifier((16,), max_iter=4, random_state=3).fit(X / 16, y).loss_curve_
np.testing.assert_allclose(losses, alone, rtol=1e-10)
print("the same", communicator.rank)
