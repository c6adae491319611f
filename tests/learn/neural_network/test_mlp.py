"""Training is the same for any blocks and communicator."""

import warnings

import numpy as np
import pytest
from gpucluster.learn import MLPClassifier, load, save
from gpucluster.learn.communicators import combine
from gpucluster.learn.neural_network.training import first_layers, gradients, probabilities
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier as Local

X, Y = load_digits(return_X_y=True)
X = X / 16
OPTIONS = {"hidden_layer_sizes": (16,), "max_iter": 4, "random_state": 3}


@pytest.fixture(scope="module")
def alone():
    return MLPClassifier(**OPTIONS).fit(X, Y)


@pytest.mark.full
@pytest.mark.parametrize(("n_blocks", "empty"), [(1, False), (2, False), (3, True), (7, False)])
def test_blocks_make_no_difference(alone, dask_client, split, n_blocks, empty):
    model = MLPClassifier(**OPTIONS).fit(split(X, n_blocks, empty=empty), split(Y, n_blocks, empty=empty))
    for mine, theirs in zip(model.coefs_ + model.intercepts_, alone.coefs_ + alone.intercepts_, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-11)
    assert model.loss_curve_ == pytest.approx(alone.loss_curve_, rel=1e-10)
    found = model.predict(split(X, n_blocks))
    assert not isinstance(found, np.ndarray)
    assert (found.compute() == alone.predict(X)).all()
    np.testing.assert_allclose(model.predict_proba(split(X, 2)).compute(), alone.predict_proba(X), atol=1e-9)
    logarithms = model.predict_log_proba(split(X, 2)).compute()
    np.testing.assert_allclose(np.exp(logarithms), alone.predict_proba(X), atol=1e-9)


def test_same_result_without_a_cluster(alone, split):
    model = MLPClassifier(**OPTIONS).fit(split(X, 3), split(Y, 3))
    assert model.loss_curve_ == pytest.approx(alone.loss_curve_, rel=1e-10)


@pytest.mark.parametrize("solver", ["adam", "sgd"])
def test_accuracy_like_scikit_learn(solver):
    train, test = slice(0, 1400), slice(1400, None)
    rate = {"adam": 0.005, "sgd": 0.1}[solver]
    options = {"hidden_layer_sizes": (32,), "max_iter": 40, "learning_rate_init": rate, "solver": solver}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = Local(**options, random_state=0, nesterovs_momentum=False).fit(X[train], Y[train])
    mine = MLPClassifier(**options, random_state=0).fit(X[train], Y[train])
    assert abs(mine.score(X[test], Y[test]) - theirs.score(X[test], Y[test])) < 0.03
    assert mine.loss_curve_[-1] < 0.2 * mine.loss_curve_[0]


def test_training_stops_without_improvement():
    model = MLPClassifier((4,), max_iter=50, tol=10.0, n_iter_no_change=3, random_state=0).fit(X, Y)
    assert model.n_iter_ == 4


@pytest.mark.parametrize("n_classes", [2, 10])
def test_combined_and_saved_models_predict_the_same(n_classes, tmp_path):
    chosen = n_classes > Y
    labels = np.array(["zero", "one", *"23456789"])[Y[chosen]]
    model = MLPClassifier(**OPTIONS).fit(X[chosen], labels)
    local = model.get_combined_model()
    assert type(local) is Local
    np.testing.assert_allclose(local.predict_proba(X[:50]), model.predict_proba(X[:50]), atol=1e-12)
    assert (local.predict(X[:50]) == model.predict(X[:50])).all()
    save(model, tmp_path / "model")
    assert (load(tmp_path / "model").predict_proba(X[:50]) == model.predict_proba(X[:50])).all()


def test_weights_count_as_copies():
    twice = np.concatenate([X, X]), np.concatenate([Y, Y])
    options = {**OPTIONS, "batch_size": 10**6, "alpha": 0}
    weighted = MLPClassifier(**options).fit(X, Y, sample_weight=np.full(len(X), 2.0))
    np.testing.assert_allclose(weighted.coefs_[0], MLPClassifier(**options).fit(*twice).coefs_[0], rtol=1e-7)


@pytest.fixture
def scene():
    chance = np.random.default_rng(0)
    X = chance.normal(size=(40, 5))
    wanted = chance.integers(0, 3, 40)
    weights = chance.uniform(0, 2, 40)
    return X, wanted, weights, first_layers([5, 7, 4, 3], 1, np.float64)


def loss(X, wanted, weights, layers):
    chances = probabilities(X, layers)
    return -(weights * np.log(chances[np.arange(len(X)), wanted])).sum()


def test_gradient_check(scene):
    X, wanted, weights, layers = scene
    *slopes, total, weight = gradients(X, wanted, weights, layers)
    assert total == pytest.approx(loss(X, wanted, weights, layers), rel=1e-12)
    assert weight == pytest.approx(weights.sum())
    small = 1e-6
    for number, part in enumerate(layers):
        assert slopes[number].shape == part.shape
        for place in np.ndindex(part.shape):
            moved = []
            for sign in (1, -1):
                changed = [layer.copy() for layer in layers]
                changed[number][place] += sign * small
                moved.append(loss(X, wanted, weights, tuple(changed)))
            assert slopes[number][place] == pytest.approx((moved[0] - moved[1]) / (2 * small), abs=1e-6)


def test_gradients_of_parts_add_up(scene):
    X, wanted, weights, layers = scene
    whole = gradients(X, wanted, weights, layers)
    parts = [gradients(X[part], wanted[part], weights[part], layers) for part in (slice(0, 3), slice(3, 40))]
    for one, both in zip(whole, combine("sum", *parts), strict=True):
        np.testing.assert_allclose(one, both, rtol=1e-10, atol=1e-12)


def test_probabilities_of_large_scores_and_of_float32():
    layers = (np.array([[1e4, -1e4]]), np.zeros(2))
    assert probabilities(np.array([[1.0], [-1.0]]), layers).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    layers = first_layers([2, 3, 2], 0, np.float32)
    assert probabilities(np.ones((4, 2), np.float32), layers).dtype == np.float32
