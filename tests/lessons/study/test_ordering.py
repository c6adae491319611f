"""Which orders of a Parsons problem are right."""

from __future__ import annotations

from contextlib import suppress
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpucluster.lessons.examination import Examination, Halt
from gpucluster.lessons.study.ordering import check_order
from gpucluster.lessons.study.parsons import find_problem, lettered


def judge(order: Any) -> tuple[bool, list[str]]:
    exam = Examination(np.random.default_rng(0))
    with suppress(Halt):
        check_order(exam, "91.1", order)
    failed = [finding for finding in exam.findings if not finding.passed]
    return bool(exam.findings) and not failed, [finding.observed for finding in failed]


@pytest.fixture
def letter(kit: Path) -> dict[str, str]:
    problem = find_problem("91.1")
    assert problem is not None
    return {line.id: letter for letter, line in lettered(problem).items()}


def program(letter: dict[str, str], *names: str) -> list[tuple[str, int]]:
    return [(letter[name], 1 if name == "add" else 0) for name in names]


def test_every_order_that_respects_the_graph_is_right(letter: dict[str, str]) -> None:
    names = ("start", "other", "loop", "add")
    right = [order for order in permutations(names) if judge(program(letter, *order))[0]]
    assert right == [("start", "other", "loop", "add"), ("other", "start", "loop", "add")]


def test_a_line_too_early_is_named(letter: dict[str, str]) -> None:
    passed, why = judge(program(letter, "loop", "start", "other", "add"))
    assert not passed
    assert why == [f"{letter['loop']} (`for x in data:`) comes too early"]


def test_a_missing_line_is_counted_but_not_named(letter: dict[str, str]) -> None:
    passed, why = judge(program(letter, "start", "loop", "add"))
    assert not passed
    assert why == ["1 missing"]


def test_a_line_that_does_not_belong_says_why(letter: dict[str, str]) -> None:
    passed, why = judge(program(letter, "start", "other", "loop", "wrong", "add"))
    assert not passed
    assert why == [f"{letter['wrong']} does not belong: It forgets what came before."]


def test_indentation_counts_where_it_is_asked_for(letter: dict[str, str]) -> None:
    flat = [letter[name] for name in ("start", "other", "loop", "add")]
    assert judge(" ".join(flat)) == (False, [f"not so: {letter['add']}"])
    assert judge([flat[0], flat[1].lower(), (flat[2], 0), [flat[3], 1]]) == (True, [])


def test_letters_can_be_written_in_many_ways(kit: Path, letter: dict[str, str]) -> None:
    path = kit / "91-one" / "parsons.json"
    path.write_text(path.read_text().replace('"indent": true', '"indent": false'))
    flat = [letter[name] for name in ("start", "other", "loop", "add")]
    for order in (" ".join(flat), "".join(flat), ", ".join(flat), "->".join(flat).lower(), flat, tuple(flat)):
        assert judge(order) == (True, [])


@pytest.mark.parametrize(
    "order",
    ["", "1 2 3", "A A", 7, [1, 2], [("A",)], [("A", "1")], [("A", True)], [("A", 0, 0)], ["Z"], {"A": 1}, object()],
)
def test_what_is_no_order_is_said_politely(letter: dict[str, str], order: Any) -> None:
    passed, why = judge(order)
    assert not passed
    assert why and all(isinstance(text, str) for text in why)
