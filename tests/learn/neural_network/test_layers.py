"""The gradient, against differences of the loss."""

from __future__ import annotations

import numpy as np
import pytest
from gpucluster.learn.communicators import combine
from gpucluster.learn.neural_network.training import first_layers, gradients, probabilities


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


def test_large_scores_do_not_overflow():
    layers = (np.array([[1e4, -1e4]]), np.zeros(2))
    assert probabilities(np.array([[1.0], [-1.0]]), layers).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_float32_stays():
    layers = first_layers([2, 3, 2], 0, np.float32)
    assert probabilities(np.ones((4, 2), np.float32), layers).dtype == np.float32
