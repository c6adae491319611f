"""What a check reports on wrong calls and broken code; counted calls; failures that are expected."""

import json
from typing import Any

import dask
import numpy as np
import pytest
from dask import delayed
from gpucluster.lessons import check, expect_failure
from gpucluster.lessons.course.lesson_02_lazy_on_purpose.probes import counted
from gpucluster.lessons.examination import Examination, Halt
from gpucluster.lessons.failures import Failure
from gpucluster.lessons.learner_progress import record
from gpucluster.lessons.probes.timing import Busy
from gpucluster.lessons.results import LESSON_MIME, CheckResult, Finding, State


def broken(points: Any, centroids: Any) -> Any:
    return points @ centroids  # the transpose is missing


def test_an_error_is_one_line_that_names_the_line_of_the_learner() -> None:
    result = check("06.2", broken)
    assert result.state is State.FAILED
    [finding] = result.findings
    assert finding.expected == "It runs without an error"
    assert finding.observed.startswith("ValueError: ")
    assert "in broken, line" in finding.observed
    assert "points @ centroids" in finding.observed
    assert "\n" not in finding.observed


def test_an_error_on_a_worker_names_the_line_of_the_learner(client: Any) -> None:
    def divide(block: Any) -> Any:
        return 1 / (block.shape[1] - 3)

    def kmeans(client: Any, parts: Any, *rest: Any) -> Any:
        return client.gather(client.map(divide, parts, pure=False))

    [finding] = check("06.5", kmeans, client=client).findings
    assert finding.observed.startswith("ZeroDivisionError: division by zero (in divide, line")


@pytest.mark.parametrize("answer", [3, "assign", [1, 2], np.zeros(3), object()])
def test_something_that_is_no_function(answer: Any) -> None:
    result = check("06.2", answer)
    assert result.state is State.FAILED
    assert result.findings[0].expected == "It is a function"


def test_wrong_number_of_arguments_of_the_function() -> None:
    result = check("06.2", lambda points: points)
    assert "TypeError" in result.findings[0].observed


def test_a_function_that_forgets_to_return() -> None:
    def assign(points: Any, centroids: Any) -> None:
        points.sum()

    [finding] = check("06.2", assign).findings
    assert finding.expected == "It returns a result"
    assert finding.observed == "it returned None"


@pytest.mark.parametrize("number", ["06.99", "99.1", "", "06", None, 6.2])
def test_unknown_exercise(number: Any) -> None:
    result = check(number, broken)
    assert result.state is State.UNAVAILABLE
    assert "No check for exercise" in repr(result)


def test_wrong_number_of_answers_shows_the_right_call() -> None:
    assert 'check("06.10", recolour, pictures)' in repr(check("06.10", broken))


def test_without_a_cluster_it_says_which_cell_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucluster.lessons.checking._lesson_client", lambda: None)

    def kmeans(*args: Any) -> Any:
        return args

    result = check("06.5", kmeans)
    assert result.state is State.UNAVAILABLE
    assert "first code cell" in result.message


def test_stopping_a_check_that_never_ends() -> None:
    def assign(points: Any, centroids: Any) -> Any:
        raise KeyboardInterrupt

    result = check("06.2", assign)
    assert result.state is State.FAILED
    assert "You stopped the check" in result.message


@pytest.mark.parametrize(
    ("answer", "observed"), [((1, 2), "a tuple of 2"), ([], "a list of 0"), (3.5, "a float"), ({1: 2}, "a dict of 1")]
)
def test_a_result_of_the_wrong_shape_is_described(answer: Any, observed: str) -> None:
    *before, finding = check("06.3", lambda *args: [answer][0]).findings
    assert all(one.passed for one in before)
    assert finding.expected == "It returns three values: sums, counts, inertia"
    assert finding.observed == observed


def test_a_property_must_hold_each_time() -> None:
    exam = Examination(np.random.default_rng(0))
    exam.expect("p", True, "first")
    exam.expect("p", False, "second")
    exam.expect("p", True, "third")
    assert exam.findings == (Finding("p", False, "second"),)
    with pytest.raises(Halt):
        exam.require("q", False, "no")


RESULT = CheckResult(
    "06.2",
    "A <title>",
    State.FAILED,
    (Finding("x < y", True, "1 < 2"), Finding("<script>", False, "a & b")),
    next_step='Next: `hint("06.2")`.',
    seed=7,
)


@pytest.mark.parametrize("observed", ["5 instead of 5", "[] is missing", "'a', expected 'a'", "something was lost"])
def test_beside_a_property_that_holds_stand_no_words_of_a_fault(observed: str) -> None:
    exam = Examination(np.random.default_rng(0))
    exam.expect("It holds", True, observed)
    exam.expect("It fails", False, observed)
    exam.expect("It is measured", True, "largest difference 1e-16")
    assert [finding.observed for finding in exam.findings] == ["", observed, "largest difference 1e-16"]


@pytest.mark.parametrize(
    ("observed", "shown"),
    [
        ("1 ranks with 5802", "1 rank with 5802"),
        ("2 calls; 1 chunks", "2 calls; 1 chunk"),
        ("11 ranks with 300, 5, 1 rows, 2.1 rows", "11 ranks with 300, 5, 1 rows, 2.1 rows"),
        ("1 times as fast, 1 has", "1 times as fast, 1 has"),
    ],
)
def test_one_of_many_is_in_the_singular(observed: str, shown: str) -> None:
    exam = Examination(np.random.default_rng(0))
    exam.expect("p", False, observed)
    assert exam.findings == (Finding("p", False, shown),)


def test_a_result_as_text_html_and_record() -> None:
    text = repr(RESULT)
    assert "✓ expected: x < y" in text
    assert "✗ expected: <script>" in text
    assert "observed: a & b" in text
    assert text.endswith('hint("06.2")`.')
    html = RESULT._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "a &amp; b" in html
    assert "<code>hint(&quot;06.2&quot;)</code>" in html
    bundle = RESULT._repr_mimebundle_()
    record = json.loads(json.dumps(bundle[LESSON_MIME]))
    assert record["kind"] == "check"
    assert record["state"] == "failed"
    assert record["findings"][1] == {"expected": "<script>", "passed": False, "observed": "a & b"}
    assert set(bundle) == {"text/plain", "text/html", LESSON_MIME}


def test_nbgrader_sees_an_error_where_an_answer_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    for answer in (broken, ...):
        with pytest.raises(AssertionError, match=r"06\.2 .*: not"):
            check("06.2", answer)

    def assign(points: Any, centroids: Any) -> Any:
        return (-2 * points @ centroids.T + (centroids**2).sum(axis=1)).argmin(axis=1)

    assert check("06.2", assign).passed


def double(number: int) -> int:
    return 2 * number


def test_calls_in_this_process_and_on_workers_add_up(client: Any) -> None:
    load = counted(double)
    assert load(3) == 6
    assert load.__name__ == "double"
    futures = client.map(load, range(5))
    assert client.gather(futures) == [0, 2, 4, 6, 8]
    assert load.calls(client) == 6


def test_each_counts_for_itself() -> None:
    first, second = counted(double), counted(double)
    first(1)
    with dask.config.set(scheduler="synchronous"):
        assert dask.compute(delayed(second)(2), delayed(second)(2)) == (4, 4)
    assert second.calls() >= 2
    assert first.calls() == 1


def test_busy_counts_cores(client: Any) -> None:
    def work(_: int) -> int:
        return sum(range(3_000_000))

    with Busy(client) as busy:
        client.gather(client.map(work, range(4), pure=False))
    # On a machine that others use as well, a core may be busy for us only part of the time; never more than two.
    assert 0 < busy.workers <= 2.5
    assert busy.notebook < busy.workers
    assert "cores busy" in repr(busy)


def test_it_shows_type_line_and_message_and_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    with expect_failure() as failure:
        {}["height"]
    assert failure.happened
    assert failure.kind == "KeyError"
    shown = capsys.readouterr().out
    assert "✗ KeyError" in shown
    assert "in the line: {}" in shown
    assert "'height'" in shown
    assert "Traceback" not in shown


def test_it_says_so_when_nothing_failed(capsys: pytest.CaptureFixture[str]) -> None:
    with expect_failure() as failure:
        pass
    assert not failure.happened
    assert "Nothing failed here" in capsys.readouterr().out


def test_an_error_of_another_type_is_not_swallowed() -> None:
    with pytest.raises(KeyError), expect_failure(ZeroDivisionError):
        raise KeyError("other")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_learner_can_always_stop_it(stop: type[BaseException]) -> None:
    with pytest.raises(stop), expect_failure():
        raise stop


def test_the_error_keeps_no_data_alive() -> None:
    with expect_failure() as failure:
        raise ValueError("large")
    assert failure.error is not None
    assert failure.error.__traceback__ is None


def test_text_of_an_error_is_never_html() -> None:
    page = Failure("ValueError", "<script>1</script>" * 200, "f('<b>')", ValueError())._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page


def test_a_failure_on_a_worker_names_the_line_of_the_learner(client: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def divide(number: int) -> float:
        return 1 / number

    with expect_failure(ZeroDivisionError) as failure:
        client.submit(divide, 0, pure=False).result()
    assert failure.line == "return 1 / number"
    assert "division by zero" in capsys.readouterr().out


def test_lines_that_were_put_in_order_in_the_page_need_not_be_written_again() -> None:
    assert "Put the lines in order above" in check("06.1", ...).message
    record({"kind": "parsons", "exercise": "06.1", "right": True, "failed": []})
    result = check("06.1", ...)
    assert result.passed
    assert "nothing to write here" in result.message
    assert not check("06.1", [("A", 0)]).passed
