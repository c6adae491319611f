"""Study files: valid ones are read, errors name the place."""

import json
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons.study.bank import files
from gpucluster.lessons.study.bank.items import Cards, Hooks, ParsonsFile, Quiz

from ..conftest import OPTIONS, PROBLEM, card, question


def quiz(*questions: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"schema_version": 1, "lesson": "91", "questions": list(questions), **fields}


def refused(kind: type, path: Path, text: str, sentence: str) -> None:
    path.write_text(text)
    with pytest.raises(files.StudyFileError) as caught:
        files.read_file(path, kind)
    assert sentence in caught.value.message
    assert caught.value.message.startswith(f"{path.parent.name}/{path.name}")


def test_all_files_are_read(kit: Path) -> None:
    assert [item.id for item in files.questions_of("91")] == [f"91.q{number}" for number in range(1, 7)]
    assert len(files.all_questions()) == 12
    assert [item.id for item in files.cards_of("92")] == ["92.c1", "92.c2", "92.c3"]
    assert [item.id for item in files.all_cards()][-2:] == ["hook.1", "hook.2"]
    assert len(files.hook_cards()) == 2
    assert [item.id for item in files.problems_of("91")] == [item.id for item in files.all_problems()] == ["91.1"]


def test_a_file_that_changes_is_read_again(kit: Path) -> None:
    path = kit / "91-one" / "quiz.json"
    assert len(files.questions_of("91")) == 6
    path.write_text(json.dumps(quiz(question(1))))
    assert len(files.questions_of("91")) == 1


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"options": OPTIONS[1:]}, "91.q1: exactly one option must be correct, not 0"),
        ({"options": [OPTIONS[0], {"text": "2", "correct": True}]}, "exactly one option must be correct, not 2"),
        ({"options": [OPTIONS[0], {"text": "x"}]}, "91.q1: the wrong option 'x' needs a 'why'"),
        ({"options": [OPTIONS[0], OPTIONS[1], OPTIONS[1]]}, "91.q1: the option 'three' occurs twice"),
        ({"options": OPTIONS[:1]}, "91.q1, options: "),
        ({"options": [*OPTIONS, {"text": "5", "right": True}]}, "options, number 5, right: is not a field"),
        ({"type": "several", "options": OPTIONS[1:]}, "91.q1: at least one option must be correct"),
        ({"type": "essay"}, "91.q1: needs a type: 'choice', 'several', 'number' or 'text'"),
        ({"type": "number", "options": None}, "91.q1, answer: is required"),
        ({"type": "number", "answer": "many", "explanation": "x"}, "91.q1, answer: must be a number, not 'many'"),
        ({"type": "number", "answer": 1, "explanation": "x", "tolerance": -1}, "tolerance: must be at least 0"),
        ({"type": "text", "answers": [], "explanation": "x"}, "91.q1, answers: "),
        ({"type": "text", "answers": ["x"], "explanation": ""}, "91.q1, explanation: must not be empty"),
        ({"stem": "   "}, "91.q1, stem: "),
        ({"link": "91#Sum"}, "91.q1, link: '91#Sum' does not look like '03.2' or '03#anchor'"),
        ({"topic": "Big Sums"}, "91.q1, topic: 'Big Sums' does not look like a topic in lower-case-with-dashes"),
        ({"id": "91.c1"}, "91.c1, id: '91.c1' does not look like '03.q1' (question)"),
        ({"id": "92.q1"}, "the id '92.q1' must begin with '91.'"),
        ({"difficulty": 9}, "91.q1, difficulty: must be at most 3, not 9"),
        ({"rows": ["S0-1"]}, "91.q1, rows, number 1: 'S0-1' does not look like"),
    ],
)
def test_a_faulty_question(tmp_path: Path, fields: dict[str, Any], sentence: str) -> None:
    given = {key: value for key, value in question(1, **fields).items() if value is not None}
    refused(Quiz, tmp_path / "quiz.json", json.dumps(quiz(given)), sentence)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is not valid JSON: Expecting property name"),
        ("[]", "must be a JSON object"),
        ('{"schema_version": 2, "lesson": "91", "questions": []}', "schema_version: "),
        ('{"schema_version": 1, "lesson": "9", "questions": []}', "lesson: '9' does not look like '03'"),
        (json.dumps(quiz(question(1), question(1))), "the id '91.q1' occurs twice"),
        ("[" * 100_000, "is not JSON in UTF-8"),
    ],
)
def test_a_faulty_file(tmp_path: Path, text: str, sentence: str) -> None:
    refused(Quiz, tmp_path / "quiz.json", text, sentence)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "quiz.json").write_bytes(b"\xff\xfe")
    with pytest.raises(files.StudyFileError, match="is not JSON in UTF-8"):
        files.read_file(tmp_path / "quiz.json", Quiz)
    with pytest.raises(files.StudyFileError, match="cannot be read: No such file"):
        files.read_file(tmp_path / "missing.json", Quiz)


def test_faulty_cards_and_hooks(tmp_path: Path) -> None:
    cards = json.dumps({"schema_version": 1, "lesson": "91", "cards": [card(1, back="")]})
    refused(Cards, tmp_path / "cards.json", cards, "91.c1, back: must not be empty")
    hooks = json.dumps({"schema_version": 1, "cards": [card(1, id="hook.1")]})
    refused(Hooks, tmp_path / "cards.json", hooks, "hook.1 needs a name")


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (
            [{"id": "a", "text": "x", "after": ["b"]}, {"id": "b", "text": "y", "after": ["a"]}],
            "no order respects 'after'",
        ),
        ([{"id": "a", "text": "x", "after": ["c"]}, {"id": "b", "text": "y"}], "comes after 'c', which is not a line"),
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "the id 'a' occurs twice"),
        ([{"id": "a", "text": "x", "after": ["wrong"]}, {"id": "b", "text": "y"}], "which is not a line"),
        ([{"id": "a", "text": "x"}], "91.1, lines: "),
    ],
)
def test_a_faulty_parsons_problem(tmp_path: Path, lines: list[Any], sentence: str) -> None:
    refused(ParsonsFile, tmp_path / "parsons.json", json.dumps([{**PROBLEM, "lines": lines}]), sentence)


def test_a_lesson_that_is_not_there(kit: Path) -> None:
    with pytest.raises(files.NothingToStudy, match="Lesson '77' not found. Lessons: 91, 92."):
        files.questions_of("77")
    (kit / "92-two" / "cards.json").unlink()
    with pytest.raises(files.NothingToStudy, match="Lesson 92 has no cards."):
        files.cards_of("92")


def test_one_faulty_lesson_does_not_take_the_others(kit: Path) -> None:
    (kit / "91-one" / "quiz.json").write_text("{")
    (kit / "hooks.json").unlink()
    assert {item.id[:2] for item in files.all_questions()} == {"92"}
    assert len(files.all_cards()) == 6
