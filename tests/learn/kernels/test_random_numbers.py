"""Random numbers of rows."""

from __future__ import annotations

import numpy as np
from gpucluster.learn.kernels.random_numbers import uniform
from scipy.stats import kstest


def test_numbers_belong_to_rows() -> None:
    whole = uniform(np.empty(0), 0, 1000, seed=7, draw=3)
    parts = [uniform(np.empty(0), start, 250, seed=7, draw=3) for start in (0, 250, 500, 750)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


def test_numbers_are_uniform_and_independent() -> None:
    draws = np.stack([uniform(np.empty(0), 0, 20_000, seed, draw) for seed in (0, 1) for draw in (0, 1, 1 << 32)])
    assert (draws > 0).all()
    assert (draws < 1).all()
    assert all(kstest(draw, "uniform").pvalue > 1e-4 for draw in draws)
    correlation = np.corrcoef(np.concatenate([draws, draws[:1, ::-1], np.roll(draws[:1], 1, axis=1)]))
    assert np.abs(correlation - np.eye(len(correlation))).max() < 0.03
