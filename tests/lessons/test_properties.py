"""What all checks look for: inputs that change, answers that remember, results that cannot be used."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from gpucluster.lessons.checking import check
from gpucluster.lessons.examination import Examination
from gpucluster.lessons.properties import REPEATABLE, UNCHANGED, USABLE, alike, fingerprint
from gpucluster.lessons.results import Finding, State


def examined(function: Any, *args: Any, repeats: bool = False) -> dict[str, Finding]:
    exam = Examination(np.random.default_rng(0))
    exam.repeats = repeats
    exam.call(function, *args)
    return {finding.expected: finding for finding in exam.findings}


def _first_of_tuple(pair: Any) -> int:
    pair[0][0] += 1
    return 1


def _column(table: Any) -> int:
    table["new"] = 0
    return 1


@pytest.mark.parametrize(
    ("change", "given"),
    [
        (lambda array: array.sort() or 1, np.array([3.0, 1.0])),
        (lambda array: array.__setitem__(0, None) or 1, np.array(["a", "b"], dtype=object)),
        (lambda array: array.resize((1, 4), refcheck=False) or 1, np.zeros(4)),
        (lambda values: values.pop(), [object(), object()]),
        (lambda table: table.pop("a"), {"a": 1}),
        (lambda group: group.pop(), {1, 2}),
        (_first_of_tuple, (np.zeros(2), 3)),
        (_column, pd.DataFrame({"a": [1, 2]})),
        (lambda table: table.__setitem__("a", [1, 2]) or 1, pd.DataFrame({"a": [2, 1]})),
    ],
)
def test_a_change_of_what_is_given_is_found(change: Any, given: Any) -> None:
    finding = examined(lambda number, value: change(value), 7, given)[UNCHANGED]
    assert not finding.passed
    assert finding.observed == "argument 2 was changed"


ODD_ARRAYS = [np.zeros((2, 0)), np.array(1.0), np.array(["2013-01-01"], dtype="datetime64[s]"), [np.ones(3)[::2]]]


@pytest.mark.parametrize("given", [*ODD_ARRAYS, pd.Series([1.0, None]), pd.DataFrame({"a": [[1], [2]]})])
def test_what_is_left_alone_is_not_reported(given: Any) -> None:
    assert examined(lambda value: 1, given)[UNCHANGED].passed


def test_numbers_and_texts_cannot_change_and_are_not_mentioned() -> None:
    assert examined(lambda *args: 1, 3, "text", (1, 2)) == {}


def test_an_answer_that_counts_its_calls_is_found() -> None:
    calls: list[int] = []
    finding = examined(lambda array: calls.append(1) or len(calls), np.zeros(2), repeats=True)[REPEATABLE]
    assert not finding.passed
    assert examined(lambda array: array * 2, np.array([1.0, np.nan]), repeats=True)[REPEATABLE].passed


def test_a_call_with_objects_is_made_once() -> None:
    calls: list[int] = []
    examined(lambda thing: calls.append(1) or 1, object(), repeats=True)
    assert calls == [1]


def test_results_are_alike_up_to_rounding() -> None:
    assert alike((1.0, {"a": np.array([1.0, np.nan])}), (1.0 + 1e-12, {"a": np.array([1.0, np.nan])}))
    assert not alike([1, 2], [1, 2, 3])
    assert not alike({"a": 1}, {"b": 1})
    assert not alike(np.zeros(3), np.zeros(4))
    assert not alike("left", "right")


def test_a_view_has_the_fingerprint_of_its_values() -> None:
    values = np.arange(6.0).reshape(2, 3)
    assert fingerprint(values.T) == fingerprint(values.T.copy())
    assert fingerprint(values) != fingerprint(values.astype("float32"))


def test_a_lazy_result_that_breaks_later_is_said_in_a_sentence() -> None:
    def one_hot(table: Any, column: str) -> Any:
        return table.map_partitions(lambda part: part["nothing of the kind"], meta=table._meta)

    class Broken:
        def to_delayed(self) -> Any:
            raise KeyError("carrier")

    assert "KeyError" in repr(check("05.7", one_hot))
    result = check("05.7", lambda table, column: Broken())
    assert result.state is State.FAILED
    assert result.findings[-1].expected == USABLE
    assert result.findings[-1].observed.startswith("KeyError: 'carrier'")
