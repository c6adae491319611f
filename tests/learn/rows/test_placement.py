"""Which worker takes which blocks."""

from __future__ import annotations

from collections import Counter

import pytest
from gpucluster.learn.rows.placement import SLACK, place
from hypothesis import given
from hypothesis import strategies as st


def test_blocks_stay_where_they_are():
    assert place([["b"], ["a"], ["b"], ["a"]], [5, 5, 5, 5], {"a": 1, "b": 1}) == ["b", "a", "b", "a"]


def test_what_is_too_much_for_one_goes_to_the_other():
    chosen = place([["a"]] * 8, [10] * 8, {"a": 1, "b": 1})
    assert Counter(chosen) == {"a": 4, "b": 4}


def test_more_threads_take_more():
    assert Counter(place([["a"]] * 8, [10] * 8, {"a": 1, "b": 3})) == {"a": 2, "b": 6}


def test_a_worker_that_is_gone_gets_nothing():
    assert place([["gone"], ["a"]], [1, 1], {"a": 1}) == ["a", "a"]


def test_blocks_without_rows():
    assert set(place([["a"], []], [0, 0], {"a": 1, "b": 1})) <= {"a", "b"}


@given(
    st.lists(st.tuples(st.integers(0, 10**9), st.sampled_from(["a", "b", "c", "gone"])), min_size=1, max_size=60),
    st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(1, 8), min_size=1),
)
def test_nobody_is_overloaded(blocks, workers):
    sizes = [size for size, _ in blocks]
    chosen = place([[holder] for _, holder in blocks], sizes, workers)
    assert len(chosen) == len(blocks) and set(chosen) <= set(workers)
    share = sum(sizes) / sum(workers.values())
    for worker, threads in workers.items():
        load = sum(size for size, address in zip(sizes, chosen, strict=True) if address == worker)
        assert load <= SLACK * share * threads + max(sizes) or load == pytest.approx(sum(sizes))
