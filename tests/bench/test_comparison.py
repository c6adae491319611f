"""Two results beside each other: what is compared, what is not, and in which words."""

from __future__ import annotations

import pytest
from gpucluster.bench import compare, load
from gpucluster.bench.errors import NotComparable, UnreadableResult
from gpucluster.bench.result import by_workload, curves, efficiency, speed_up, speed_up_intervals
from gpucluster.bench.text import result_text

FAST = [1.0, 1.1, 1.2, 1.3, 1.4]


def test_words_say_what_the_numbers_show(make_result):
    first = make_result([{"seconds": FAST}, {"workload": "pca", "seconds": FAST}, {"workload": "svd", "seconds": FAST},
                         {"workload": "merge", "seconds": FAST[:3]}])  # fmt: skip
    second = make_result([{"seconds": [3 * t for t in FAST]}, {"workload": "pca", "seconds": [t / 3 for t in FAST]},
                          {"workload": "svd", "seconds": FAST[::-1]},
                          {"workload": "merge", "seconds": FAST[:3]}])  # fmt: skip
    words = {pair.workload: pair.words for pair in compare(first, second).pairs}
    assert words["kmeans"].startswith("second 3.00 times slower (")
    assert words["pca"].startswith("second 3.00 times faster (")
    assert words["svd"].startswith("no difference shown (")
    assert words["merge"] == "too few runs to tell: four of each are needed"
    text = compare(first, second).text()
    assert "Of 4 comparisons without any difference, about 0.2 show one all the same" in text


def test_other_sizes_are_not_compared_but_named(make_result):
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


def test_a_busy_machine_makes_a_difference_doubtful(make_result):
    idle, busy = make_result([{}]), make_result([{}])
    host = busy.hosts[0].model_copy(update={"load_before": 6.8})
    answer = compare(idle, busy.model_copy(update={"hosts": [host]}))
    assert answer.doubts == [
        "other programs were running when the second was measured (load 6.8 on 2 CPUs); they alone can make such a "
        "difference."
    ]
    assert "Doubtful: other programs" in answer.text()
    assert compare(idle, idle).doubts == []


def test_the_same_name_with_other_numbers_is_another_size(make_result):
    first, second = make_result([{}]), make_result([{"parameters": {"rows": 5}}])
    with pytest.raises(NotComparable, match="no workload of the same size and number of workers. kmeans is 'small'"):
        compare(first, second)


def test_results_survive_a_file_and_other_files_get_a_sentence(make_result, tmp_path):
    result = make_result([{}, {"workload": "allreduce-latency", "amount": None, "scales": False}])
    path = tmp_path / "r.json"
    result.save(path)
    assert load(path) == result
    (tmp_path / "other.json").write_text('{"format": 99}')
    with pytest.raises(UnreadableResult, match=r"other.json is no result"):
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
