"""Run under ``mpiexec``: each rank fits on its own rows, and all find what one process finds with all rows."""

from __future__ import annotations

import warnings

import numpy as np
from gpucluster.learn import (
    GaussianNB,
    KNeighborsClassifier,
    LabelEncoder,
    MPICommunicator,
    MultinomialNB,
    NearestNeighbors,
    RandomForestClassifier,
    accuracy_score,
    config_context,
    r2_score,
)
from sklearn.datasets import load_digits

warnings.simplefilter("error")
communicator = MPICommunicator()
X, y = load_digits(return_X_y=True)
order = np.argsort(y, kind="stable")  # so that ranks have different classes
X, y = X[order], y[order]
mine = np.array_split(np.arange(len(X)), communicator.size)[communicator.rank]

with config_context(communicator=communicator):
    gaussian = GaussianNB().fit(X[mine], y[mine])
    multinomial = MultinomialNB().fit(X[mine], y[mine])
    neighbors = KNeighborsClassifier().fit(X[mine], y[mine])
    shares = neighbors.predict_proba(X[mine][:50])
    distances, _ = NearestNeighbors().fit(X[mine]).kneighbors()
    accuracy = accuracy_score(y[mine], gaussian.predict(X[mine]))
    r2 = r2_score(y[mine].astype(float), gaussian.predict(X[mine]).astype(float))
    classes = LabelEncoder().fit(y[mine]).classes_
    forest = RandomForestClassifier(10, random_state=0).fit(X[mine], y[mine])

np.testing.assert_allclose(gaussian.var_, GaussianNB().fit(X, y).var_, rtol=1e-9)
np.testing.assert_array_equal(multinomial.feature_count_, MultinomialNB().fit(X, y).feature_count_)
np.testing.assert_array_equal(shares, KNeighborsClassifier().fit(X, y).predict_proba(X[mine][:50]))
np.testing.assert_allclose(distances, NearestNeighbors().fit(X).kneighbors()[0][mine], atol=1e-6)
np.testing.assert_allclose(accuracy, accuracy_score(y, gaussian.predict(X)))
np.testing.assert_allclose(r2, r2_score(y.astype(float), gaussian.predict(X).astype(float)))
np.testing.assert_array_equal(classes, range(10))
np.testing.assert_array_equal(forest.classes_, range(10))
assert len(forest.estimators_) == 10
print("the same", communicator.rank)
