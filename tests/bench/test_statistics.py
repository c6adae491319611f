"""Medians, and intervals that promise no more than they keep."""

from __future__ import annotations

from math import comb, exp

import numpy as np
import pytest
from gpucluster.bench.statistics import _orderings, _rank_sum_cut, ratio_of, spread_of
from hypothesis import given
from hypothesis import strategies as st

TIMES = st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=8)


@given(TIMES)
def test_the_spread_is_that_of_numpy(values):
    spread = spread_of(values)
    found = (spread.minimum, spread.lower, spread.median, spread.upper, spread.maximum)
    assert found == pytest.approx(tuple(np.quantile(values, (0, 0.25, 0.5, 0.75, 1))))


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 4), (5, 5), (6, 2), (10, 12)])
def test_all_orderings_are_counted(m, n):
    counts = _orderings(m, n)
    assert sum(counts) == comb(m + n, m)
    assert counts == counts[::-1]
    assert len(counts) == m * n + 1


# From tables of the rank sum test, two-sided 5%: the critical value of U, and one more.
@pytest.mark.parametrize(
    ("m", "n", "cut"),
    [(3, 3, 0), (3, 4, 0), (4, 4, 1), (5, 5, 3), (6, 6, 6), (8, 8, 14), (5, 8, 7)],
)
def test_where_the_interval_ends(m, n, cut):
    assert _rank_sum_cut(m, n) == _rank_sum_cut(n, m) == cut


@given(TIMES, TIMES)
def test_ratios_turn_round_and_hold_their_estimate(first, second):
    there, back = ratio_of(first, second), ratio_of(second, first)
    assert there.medians == pytest.approx(1 / back.medians)
    if there.lower is None or there.upper is None:
        assert min(len(first), len(second)) < 5 and there.differs is None
    else:
        assert there.lower <= there.upper
        assert (there.lower, there.upper) == pytest.approx((1 / back.upper, 1 / back.lower))


@pytest.mark.parametrize("repeats", [5, 8])
def test_the_true_ratio_is_inside_about_as_often_as_promised(repeats):
    generator = np.random.default_rng(5)
    inside = 0
    for _ in range(600):
        # Times have a long tail upwards.
        first = np.exp(generator.gamma(2.0, 0.2, repeats))
        second = 1.3 * np.exp(generator.gamma(2.0, 0.2, repeats))
        ratio = ratio_of(list(first), list(second))
        inside += ratio.lower <= 1.3 <= ratio.upper
    assert 0.93 <= inside / 600 <= 0.995


def test_a_clear_difference_is_seen_and_none_is_not_invented():
    fast = [1.00, 1.02, 0.99, 1.01, 1.03]
    assert ratio_of(fast, [2 * value for value in fast]).differs is True
    assert ratio_of(fast, fast).differs is False
    assert ratio_of(fast[:3], [exp(3)] * 3).differs is None
