"""Hashes and noise, held to ``vectors.json``, which the tests of the panel read too.

To rewrite the vectors: ``GPUCLUSTER_WRITE_VECTORS=1 pytest tests/lessons/study/test_scrambling.py``.
"""

import hashlib
import json
import os
from contextlib import suppress
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpucluster.lessons.examination import Examination, Halt
from gpucluster.lessons.study.bank.items import NumberQuestion, SeveralQuestion, TextQuestion
from gpucluster.lessons.study.ordering import check_order
from gpucluster.lessons.study.parsons import find_problem, lettered, parsons
from gpucluster.lessons.study.quiz import question_record
from gpucluster.lessons.study.scrambling import (
    hashed,
    locked,
    number_key,
    number_keys,
    plain_text,
    salt_of,
    shuffled,
    step_of,
    unlocked,
)
from hypothesis import given
from hypothesis import strategies as st

from .conftest import OPTIONS, question

VECTORS = Path(__file__).with_name("vectors.json")
SALT = salt_of("03.q1")
TEXTS = ["ring", "Ring  Allreduce ", "\tÄRGER\n", "Straße", "κόσμος", "a\u00a0b", "", "数据", "ΣΊΣΥΦΟΣ"]
NOTES = ["", "x", "a" * 32, "b" * 33, "Because `k` is larger than $n$ — see “03.2”. 🙂", "日本語\n" * 20]
ROUNDED = [(0.5, 1.0), (1.5, 1.0), (2.5, 1.0), (-0.5, 1.0), (-1.5, 1.0), (3.72, 0.005), (3.7225, 0.005), (1556, 1.0),
           (0.1, 0.1), (1e-9, 1e-10), (123456789.0, 0.01), (-3.2, 0.1)]  # fmt: skip


def vectors() -> dict[str, Any]:
    number = question_record(NumberQuestion(**question(3, type="number", answer=3.72, tolerance=0.05, unit="s")))
    several = question_record(SeveralQuestion(**question(2, type="several", options=OPTIONS)))
    text = question_record(TextQuestion(**question(4, type="text", answers=["ring", "Ring Allreduce"])))
    return {
        "salts": [{"name": name, "salt": salt_of(name)} for name in ("03.q1", "06.1", "hook.1")],
        "plain": [{"typed": typed, "plain": plain_text(typed)} for typed in TEXTS],
        "hashes": [{"salt": SALT, "answer": answer, "hash": hashed(SALT, answer)} for answer in ("a", "a,c", "ü")],
        "numbers": [{"number": x, "step": step, "key": number_key(x, step)} for x, step in ROUNDED],
        "locked": [{"salt": SALT, "key": "b", "text": note, "noise": locked(SALT, "b", note)} for note in NOTES],
        "questions": [
            {"question": number, "right": ["3.72", "3.67", "3.77", "3.7"], "wrong": ["3.66", "3.78", "372", "-3.72"]},
            {"question": several, "right": [[letter_of(several, "two")]],
             "wrong": [[], [letter_of(several, "three")], [letter_of(several, "two"), letter_of(several, "three")]]},
            {"question": text, "right": ["ring", " RING", "ring allreduce", "Ring\tAllreduce"], "wrong": ["rings", ""]},
        ],
    }  # fmt: skip


def letter_of(record: dict[str, Any], text: str) -> str:
    return str(next(option["id"] for option in record["options"] if option["text"] == text))


def test_the_vectors_are_those_of_the_panel() -> None:
    made = json.dumps(vectors(), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("GPUCLUSTER_WRITE_VECTORS"):
        VECTORS.write_text(made, encoding="utf-8")
    assert VECTORS.read_text(encoding="utf-8") == made


def test_a_hash_is_sha256_of_salt_line_break_answer() -> None:
    assert hashed("0123456789abcdef", "a") == hashlib.sha256(b"0123456789abcdef\na").hexdigest()
    assert hashed("0123456789abcdef", "é") == hashlib.sha256("0123456789abcdef\né".encode()).hexdigest()


def test_a_salt_is_the_same_each_time_and_of_its_own() -> None:
    assert salt_of("03.q1") == salt_of("03.q1")
    assert len({salt_of(f"03.q{number}") for number in range(100)}) == 100
    assert all(len(salt_of(f"03.q{number}")) == 16 for number in range(5))


@given(st.text(), st.text(max_size=10))
def test_what_was_locked_can_be_unlocked(text: str, key: str) -> None:
    noise = locked("0123456789abcdef", key, text)
    assert unlocked("0123456789abcdef", key, noise) == text
    assert noise.isascii()


def test_noise_does_not_repeat_itself() -> None:
    """Two blocks of the same text give different noise, and so do two keys."""
    noise = locked("s", "a", "x" * 64)
    assert noise[:40] != noise[43:83]
    assert locked("s", "a", "secret") != locked("s", "b", "secret")


@given(
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3)),
    st.floats(1e-3, 1e3).map(lambda x: float(f"{x:.3g}")),
    st.floats(-1, 1),
)
def test_no_number_within_the_tolerance_is_wrong(answer: float, tolerance: float, where: float) -> None:
    typed = answer + where * tolerance
    assert number_key(typed, step_of(answer, tolerance)) in number_keys(answer, tolerance)


@given(
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3)),
    st.floats(1e-3, 1e3).map(lambda x: float(f"{x:.3g}")),
    st.floats(1.11, 50),
    st.sampled_from([-1, 1]),
)
def test_a_tenth_beyond_the_tolerance_is_wrong(answer: float, tolerance: float, far: float, side: int) -> None:
    typed = answer + side * far * tolerance
    assert number_key(typed, step_of(answer, tolerance)) not in number_keys(answer, tolerance)


@pytest.mark.parametrize(
    ("answer", "step"), [(40, 1.0), (40.0, 1.0), (0.125, 0.001), (3.5, 0.1), (1000, 1.0), (1e6, 1.0), (-2.25, 0.01)]
)
def test_without_a_tolerance_the_digits_decide(answer: float, step: float) -> None:
    assert step_of(answer, 0) == step
    assert number_keys(answer, 0) == [number_key(answer, step)]
    assert number_key(answer + 2 * step, step) not in number_keys(answer, 0)


def test_the_order_of_options_says_nothing_about_the_right_one() -> None:
    """Over many questions, the right option is about as often in each place."""
    places = [
        shuffled(salt_of(f"03.q{number}"), ["two", "three", "four", "five"]).index("two") for number in range(400)
    ]
    assert all(70 <= places.count(place) <= 130 for place in range(4))


def test_a_record_does_not_show_its_answer(kit: Path) -> None:
    for kind, fields in (("number", {"answer": 3.72}), ("text", {"answers": ["allreduce"]}), ("choice", {})):
        from gpucluster.lessons.study.bank.files import read_file
        from gpucluster.lessons.study.bank.items import Quiz

        path = kit / "91-one" / "quiz.json"
        path.write_text(
            json.dumps({"schema_version": 1, "lesson": "91", "questions": [question(1, type=kind, **fields)]})
        )
        shown = json.dumps(question_record(read_file(path, Quiz).questions[0]))
        assert not any(word in shown for word in ("3.72", "allreduce", "One and one", "too many", "correct"))
    assert "before" not in json.dumps(parsons("91.1").record)


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


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("loop start other add", "{loop} (`for x in data:`) comes too early"),
        ("start loop add", "1 missing"),
        ("start other loop wrong add", "{wrong} does not belong: It forgets what came before."),
    ],
)
def test_a_wrong_order_is_explained(letter: dict[str, str], lines: str, why: str) -> None:
    assert judge(program(letter, *lines.split())) == (False, [why.format(**letter)])


def test_indentation_counts_where_it_is_asked_for(letter: dict[str, str]) -> None:
    flat = [letter[name] for name in ("start", "other", "loop", "add")]
    assert judge(" ".join(flat)) == (False, [f"wrong: {letter['add']}"])
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
