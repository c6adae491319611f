"""Comparison of results, medians, and the coverage of intervals."""

from math import comb, exp

import numpy as np
import pytest
from gpucluster.bench import compare, load
from gpucluster.bench.errors import NotComparable, UnreadableResult
from gpucluster.bench.result import by_workload, curves, efficiency, speed_up, speed_up_intervals
from gpucluster.bench.text import result_text
from gpucluster.client.history.statistics import _orderings, _rank_sum_cut, ratio_of, spread_of
from hypothesis import given
from hypothesis import strategies as st

FAST = [1.0, 1.1, 1.2, 1.3, 1.4]


def test_words_of_a_comparison(make_result):
    first = make_result([{"seconds": FAST}, {"workload": "pca", "seconds": FAST}, {"workload": "svd", "seconds": FAST},
                         {"workload": "merge", "seconds": FAST[:3]}])  # fmt: skip
    second = make_result([{"seconds": [3 * t for t in FAST]}, {"workload": "pca", "seconds": [t / 3 for t in FAST]},
                          {"workload": "svd", "seconds": FAST[::-1]},
                          {"workload": "merge", "seconds": FAST[:3]}])  # fmt: skip
    words = {pair.workload: pair.words for pair in compare(first, second).pairs}
    assert words["kmeans"].startswith("second 3.00 times slower (")
    assert words["pca"].startswith("second 3.00 times faster (")
    assert words["svd"].startswith("no difference shown (")
    assert words["merge"] == "too few runs: at least four of each are required"
    text = compare(first, second).text()
    assert "Of 4 comparisons without any difference, about 0.2 show one anyway" in text


def test_other_sizes_are_listed_but_not_compared(make_result):
    first = make_result([{}, {"workload": "pca"}, {"workload": "svd", "n_workers": 1}, {"workload": "merge"}])
    second = make_result(
        [{}, {"workload": "pca", "size": "medium", "parameters": {"rows": 1}}, {"workload": "svd"}], protocol="tcp"
    )
    answer = compare(first, second)
    assert [pair.workload for pair in answer.pairs] == ["kmeans"]
    assert answer.not_compared == [
        "pca is 'small' in the first result but 'medium' in the other.",
        "svd on 1 worker is only in the first result.",
        "merge is only in the first result.",
        "pca is 'medium' in the second result but 'small' in the other.",
        "svd on 2 workers is only in the second result.",
    ]
    assert answer.differences == ["protocol: tls, then tcp."]


def test_busy_machine_makes_difference_doubtful(make_result):
    idle, busy = make_result([{}]), make_result([{}])
    host = busy.hosts[0].model_copy(update={"load_before": 6.8})
    answer = compare(idle, busy.model_copy(update={"hosts": [host]}))
    assert answer.doubts == [
        "other programs were running when the second was measured (load 6.8 on 2 CPUs); this alone can explain such a "
        "difference."
    ]
    assert "Doubtful: other programs" in answer.text()
    assert compare(idle, idle).doubts == []


def test_size_with_other_parameters_is_not_comparable(make_result):
    first, second = make_result([{}]), make_result([{"parameters": {"rows": 5}}])
    with pytest.raises(NotComparable, match="no workload with the same size and number of workers. kmeans is 'small'"):
        compare(first, second)


def test_save_and_load(make_result, tmp_path):
    result = make_result([{}, {"workload": "allreduce-latency", "amount": None, "scales": False}])
    path = tmp_path / "r.json"
    result.save(path)
    assert load(path) == result
    (tmp_path / "other.json").write_text('{"format": 99}')
    with pytest.raises(UnreadableResult, match=r"other.json is not a result"):
        load(tmp_path / "other.json")
    with pytest.raises(UnreadableResult, match="cannot be read: No such file"):
        load(tmp_path / "none.json")
    with pytest.raises(UnreadableResult, match="cannot be read"):
        load(tmp_path)


def test_speed_up_and_efficiency_with_their_intervals(make_result):
    result = make_result(
        [
            {"n_workers": 1, "seconds": [4.0, 4.1, 4.2, 4.3, 4.4]},
            {"n_workers": 4, "seconds": [1.4, 1.41, 1.4, 1.39, 1.42]},
            {"n_workers": 2, "seconds": [2.1, 2.1, 2.1, 2.1, 2.1]},
            {"workload": "allreduce-latency", "n_workers": 2, "scales": False},
            {"workload": "allreduce-latency", "n_workers": 4, "scales": False},
        ]
    )
    assert list(curves(result)) == ["kmeans"]
    ones = by_workload(result)["kmeans"]
    assert [one.n_workers for one in ones] == [1, 2, 4]
    assert speed_up(ones) == pytest.approx([1, 2, 3])
    assert efficiency(ones) == pytest.approx([1, 1, 0.75])
    first, second, third = speed_up_intervals(ones)
    assert first is None
    assert second[0] < 2 < second[1] and third[0] < 3 < third[1]
    assert "3.00 (2." in result_text(result)


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


# From tables of the rank sum test, two-sided 5%: the critical value of U, plus one.
@pytest.mark.parametrize(
    ("m", "n", "cut"), [(3, 3, 0), (3, 4, 0), (4, 4, 1), (5, 5, 3), (6, 6, 6), (8, 8, 14), (5, 8, 7)]
)
def test_cut_of_the_rank_sum_test(m, n, cut):
    assert _rank_sum_cut(m, n) == _rank_sum_cut(n, m) == cut


@given(TIMES, TIMES)
def test_inverse_ratios(first, second):
    there, back = ratio_of(first, second), ratio_of(second, first)
    assert there.medians == pytest.approx(1 / back.medians)
    if there.lower is None or there.upper is None:
        assert min(len(first), len(second)) < 5 and there.differs is None
    else:
        assert there.lower <= there.upper
        assert (there.lower, there.upper) == pytest.approx((1 / back.upper, 1 / back.lower))


@pytest.mark.parametrize("repeats", [5, 8])
def test_coverage_of_the_interval(repeats):
    generator = np.random.default_rng(5)
    inside = 0
    for _ in range(600):
        # Times have a long tail upwards.
        first = np.exp(generator.gamma(2.0, 0.2, repeats))
        second = 1.3 * np.exp(generator.gamma(2.0, 0.2, repeats))
        ratio = ratio_of(list(first), list(second))
        inside += ratio.lower <= 1.3 <= ratio.upper
    assert 0.93 <= inside / 600 <= 0.995


def test_clear_and_missing_differences():
    fast = [1.00, 1.02, 0.99, 1.01, 1.03]
    assert ratio_of(fast, [2 * value for value in fast]).differs is True
    assert ratio_of(fast, fast).differs is False
    assert ratio_of(fast[:3], [exp(3)] * 3).differs is None
