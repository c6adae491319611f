"""Run under ``mpiexec``: fits of ranks on their own rows equal those of one process on all rows."""

import warnings

import numpy as np
from gpucluster import learn
from sklearn.datasets import load_digits

warnings.simplefilter("error")
communicator = learn.MPICommunicator()
X, y = load_digits(return_X_y=True)
order = np.argsort(y, kind="stable")  # so that ranks have different classes
X, y = X[order], y[order]
mine = np.array_split(np.arange(len(X)), communicator.size)[communicator.rank]

STARTS = {"given": X[::180][:10], "k-means++": "k-means++", "k-means||": "k-means||", "random": "random"}


def clusters(init: str) -> learn.KMeans:
    return learn.KMeans(10, init=STARTS[init], n_init=1, random_state=3)


with learn.config_context(communicator=communicator):
    clusterings = {init: clusters(init).fit(X[mine]) for init in STARTS}
    # Each rank would draw a different seed: they must agree on one.
    inertias = communicator.allgather(learn.KMeans(10).fit(X[mine]).inertia_)
    gaussian = learn.GaussianNB().fit(X[mine], y[mine])
    multinomial = learn.MultinomialNB().fit(X[mine], y[mine])
    neighbors = learn.KNeighborsClassifier().fit(X[mine], y[mine])
    shares = neighbors.predict_proba(X[mine][:50])
    distances, _ = learn.NearestNeighbors().fit(X[mine]).kneighbors()
    accuracy = learn.accuracy_score(y[mine], gaussian.predict(X[mine]))
    r2 = learn.r2_score(y[mine].astype(float), gaussian.predict(X[mine]).astype(float))
    components = learn.PCA(3).fit(X[mine]).components_
    scales = learn.StandardScaler().fit(X[mine]).scale_
    linear = learn.LinearRegression().fit(X[mine], y[mine]).coef_
    logistic = learn.LogisticRegression(C=0.01, tol=1e-8, max_iter=1000).fit(X[mine] / 16, y[mine]).coef_
    Q, R = learn.tsqr(X[mine, 20:30])
    classes = learn.LabelEncoder().fit(y[mine]).classes_
    forest = learn.RandomForestClassifier(10, random_state=0).fit(X[mine], y[mine])
    losses = learn.MLPClassifier((16,), max_iter=4, random_state=3).fit(X[mine] / 16, y[mine]).loss_curve_

for init, found in clusterings.items():
    serial = clusters(init).fit(X)
    np.testing.assert_allclose(found.cluster_centers_, serial.cluster_centers_, atol=1e-9)
    np.testing.assert_allclose(found.inertia_, serial.inertia_, rtol=1e-9)
    np.testing.assert_array_equal(found.labels_, serial.labels_[mine])
    assert found.n_iter_ == serial.n_iter_
assert len(set(inertias)) == 1
np.testing.assert_allclose(gaussian.var_, learn.GaussianNB().fit(X, y).var_, rtol=1e-9)
np.testing.assert_array_equal(multinomial.feature_count_, learn.MultinomialNB().fit(X, y).feature_count_)
np.testing.assert_array_equal(shares, learn.KNeighborsClassifier().fit(X, y).predict_proba(X[mine][:50]))
np.testing.assert_allclose(distances, learn.NearestNeighbors().fit(X).kneighbors()[0][mine], atol=1e-6)
np.testing.assert_allclose(accuracy, learn.accuracy_score(y, gaussian.predict(X)))
np.testing.assert_allclose(r2, learn.r2_score(y.astype(float), gaussian.predict(X).astype(float)))
np.testing.assert_allclose(components, learn.PCA(3).fit(X).components_, atol=1e-9)
np.testing.assert_allclose(scales, learn.StandardScaler().fit(X).scale_, rtol=1e-9)
np.testing.assert_allclose(linear, learn.LinearRegression().fit(X, y).coef_, atol=1e-9)
alone = learn.LogisticRegression(C=0.01, tol=1e-8, max_iter=1000).fit(X / 16, y).coef_
np.testing.assert_allclose(logistic, alone, atol=1e-5)
np.testing.assert_allclose(Q @ R, X[mine, 20:30], atol=1e-9)
np.testing.assert_allclose(R, learn.tsqr(X[:, 20:30])[1], atol=1e-9)
np.testing.assert_array_equal(classes, range(10))
np.testing.assert_array_equal(forest.classes_, range(10))
assert len(forest.estimators_) == 10
alone = learn.MLPClassifier((16,), max_iter=4, random_state=3).fit(X / 16, y).loss_curve_
np.testing.assert_allclose(losses, alone, rtol=1e-10)
print("the same", communicator.rank)
