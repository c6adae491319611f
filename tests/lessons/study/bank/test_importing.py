"""Questions of jupyterquiz and cards of jupytercards become ours."""

import json
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons.study.bank import items
from gpucluster.lessons.study.bank.files import StudyFileError, read_file
from gpucluster.lessons.study.bank.importing import import_file
from gpucluster.lessons.study.bank.jupyterquiz import UnknownFormat
from gpucluster.lessons.study.scrambling import number_key, number_keys, step_of

CHOICE = {
    "question": "Which makes text bold?",
    "type": "multiple_choice",
    "code": "a = 1",
    "answer_cols": 2,
    "answers": [
        {"answer": "Markdown", "correct": True, "feedback": "Yes."},
        {"answer": "SVG", "correct": False, "feedback": "That draws."},
        {"code": "x += 3", "correct": False},
    ],
}
SEVERAL = {**CHOICE, "type": "many_choice", "code": ""}
VALUE = {
    "question": "$\\pi$?",
    "type": "numeric",
    "precision": 3,
    "answers": [
        {"type": "value", "value": 3.14, "correct": True, "feedback": "Right."},
        {"type": "range", "range": [-10, 0], "correct": False, "feedback": "Positive!"},
        {"type": "default", "feedback": "Try again."},
    ],
}
RANGE = {"question": "g?", "type": "numeric", "answers": [{"range": [9.8, 9.82], "correct": True}]}
TEXT = {
    "question": "Who?",
    "type": "string",
    "answers": [
        {"answer": "Amdahl", "correct": True, "match_case": True, "fuzzy_threshold": 0.8},
        {"answer": "Gene Amdahl", "correct": True},
        {"answer": "Gustafson", "correct": False, "feedback": "Close."},
    ],
}


def written(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_each_kind_of_question(tmp_path: Path) -> None:
    source = written(tmp_path / "questions.json", [CHOICE, SEVERAL, VALUE, RANGE, TEXT])
    into = tmp_path / "91-one" / "quiz.json"
    done = import_file(source, "91", topic="sums", link="91#sum", into=into)
    choice, several, value, between, text = read_file(into, items.Quiz).questions
    assert [item.id for item in done.content.questions] == [f"91.q{n}" for n in range(1, 6)]  # type: ignore[union-attr]
    assert isinstance(choice, items.ChoiceQuestion) and choice.code == "a = 1" and choice.link == "91#sum"
    assert [(option.text, option.correct, option.why) for option in choice.options] == [
        ("Markdown", True, "Yes."), ("SVG", False, "That draws."), ("`x += 3`", False, "This option is incorrect.")
    ]  # fmt: skip
    assert isinstance(several, items.SeveralQuestion) and several.code is None
    assert isinstance(value, items.NumberQuestion) and (value.answer, value.tolerance) == (3.14, 0.005)
    assert isinstance(between, items.NumberQuestion)
    assert (between.answer, between.tolerance) == (pytest.approx(9.81), pytest.approx(0.01))
    assert isinstance(text, items.TextQuestion) and text.answers == ["Amdahl", "Gene Amdahl"]
    assert value.explanation == "Right." and text.explanation == "See the lesson."


def test_nothing_is_dropped_in_silence(tmp_path: Path) -> None:
    done = import_file(written(tmp_path / "q.json", [CHOICE, VALUE, TEXT]), "91", topic="sums")
    assert done.path is None
    assert str(done).splitlines() == [
        "3 questions imported.",
        "  question 1: say why '`x += 3`' is wrong.",
        "  question 2: feedback on wrong numbers was dropped; add it to the explanation.",
        "  question 3: upper and lower case no longer count.",
        "  question 3: similar spellings no longer count; list those that are to count as answers.",
        "  question 3: feedback on wrong answers was dropped; add it to the explanation.",
    ]


def test_a_choice_with_two_right_options_asks_for_both(tmp_path: Path) -> None:
    answers = [*CHOICE["answers"], {"answer": "HTML", "correct": True}]  # type: ignore[misc]
    done = import_file(written(tmp_path / "q.json", [{**CHOICE, "answers": answers}]), "91", topic="sums")
    assert isinstance(done.content, items.Quiz) and isinstance(done.content.questions[0], items.SeveralQuestion)
    assert "has several right options, of which one was enough; now all must be selected." in done.notes[-1]


@pytest.mark.parametrize(
    ("precision", "right", "wrong"), [(3, "3.144", "3.146"), (2, "3.18", "3.21"), (None, "3.14", "3.15")]
)
def test_significant_digits_become_a_tolerance(tmp_path: Path, precision: Any, right: str, wrong: str) -> None:
    done = import_file(written(tmp_path / "q.json", [{**VALUE, "precision": precision}]), "91", topic="sums")
    question = done.content.questions[0]  # type: ignore[union-attr]
    assert isinstance(question, items.NumberQuestion)
    step, keys = step_of(question.answer, question.tolerance), number_keys(question.answer, question.tolerance)
    assert number_key(float(right), step) in keys
    assert number_key(float(wrong), step) not in keys


def test_cards(tmp_path: Path) -> None:
    cards = [
        {"front": "identity matrix", "back": "Ones: $\\mathbf{I}_m$.", "topic": "Linear Algebra!"},
        {"front": "<i>mean</i>", "back": "sum / count"},
    ]
    into = tmp_path / "91-one" / "cards.json"
    done = import_file(written(tmp_path / "c.json", cards), "91", topic="sums", into=into)
    first, second = read_file(into, items.Cards).cards
    assert (first.id, first.topic, first.link, first.back) == (
        "91.c1", "linear-algebra", "91", "Ones: $\\mathbf{I}_m$.",
    )  # fmt: skip
    assert (second.id, second.topic) == ("91.c2", "sums")
    assert done.notes == ("card 2: has HTML; write it as Markdown.",)
    assert str(done).startswith(f"2 cards imported into {into}.")


def test_what_was_there_before_stays(tmp_path: Path) -> None:
    into = tmp_path / "quiz.json"
    import_file(written(tmp_path / "a.json", [CHOICE, VALUE]), "91", topic="sums", into=into)
    before = json.loads(into.read_text())["questions"]
    done = import_file(written(tmp_path / "b.json", [TEXT]), "91", topic="loops", into=into)
    after = json.loads(into.read_text())["questions"]
    assert done.added == 1
    assert after[:2] == before
    assert (after[2]["id"], after[2]["topic"]) == ("91.q3", "loops")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json", "quiz.json"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([], "has neither questions"),
        ({"questions": []}, "has neither questions"),
        ([1], "has neither questions"),
        ([{"stem": "x"}], "has neither questions"),
        ([CHOICE, {"front": "a", "back": "b"}], "has neither questions"),
        ([{"question": "x", "type": "essay", "answers": []}], "question 1 has the type 'essay'"),
        ([{"question": "x", "type": "numeric", "answers": [{"value": "3", "correct": True}]}], "needs a right value"),
        ([{"question": "x", "type": "numeric", "answers": [{"value": 3, "correct": False}]}], "needs a right value"),
        (
            [{"question": "x", "type": "numeric", "answers": [{"value": 10**400, "correct": True}]}],
            "needs a right value",
        ),
        ([{"question": "x", "type": "string", "answers": [{"answer": " ", "correct": True}]}], "needs a right answer"),
        ([{"question": "x", "type": "string", "answers": ["a"]}], "each with a list of answers"),
        ([{"front": "a"}], "card 1 needs a front and a back"),
    ],
)
def test_what_is_of_neither_kind_is_a_sentence(tmp_path: Path, content: Any, sentence: str) -> None:
    into = tmp_path / "quiz.json"
    with pytest.raises(UnknownFormat) as caught:
        import_file(written(tmp_path / "q.json", content), "91", topic="sums", into=into)
    assert sentence in caught.value.message
    assert not into.exists()


def test_what_our_rules_refuse_is_not_written(tmp_path: Path) -> None:
    none_right = {**CHOICE, "answers": [{"answer": "a", "correct": False}, {"answer": "b", "correct": False}]}
    into = tmp_path / "quiz.json"
    with pytest.raises(StudyFileError, match=r"q\.json: 91\.q1: exactly one option must be correct, not 0"):
        import_file(written(tmp_path / "q.json", [none_right]), "91", topic="sums", into=into)
    assert not into.exists()
    import_file(written(tmp_path / "q.json", [CHOICE]), "91", topic="sums", into=into)
    with pytest.raises(StudyFileError, match="belongs to lesson 91, not 92"):
        import_file(tmp_path / "q.json", "92", topic="sums", into=into)


def test_a_source_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="cannot be read: No such file"):
        import_file(tmp_path / "missing.json", "91", topic="sums")
    (tmp_path / "q.json").write_text("{")
    with pytest.raises(UnknownFormat, match="is not JSON in UTF-8"):
        import_file(tmp_path / "q.json", "91", topic="sums")


def test_the_same_file_twice_gives_no_duplicates(tmp_path: Path) -> None:
    into = tmp_path / "quiz.json"
    source = written(tmp_path / "q.json", [CHOICE, VALUE, CHOICE])
    first = import_file(source, "91", topic="sums", into=into)
    assert first.added == 2
    assert "question 3 already exists: question 1; it was skipped." in first.notes
    before = into.read_bytes()
    again = import_file(source, "91", topic="loops", into=into)
    assert again.added == 0
    assert "question 2 already exists: 91.q2; it was skipped." in again.notes
    assert into.read_bytes() == before
    more = import_file(written(tmp_path / "r.json", [VALUE, TEXT]), "91", topic="sums", into=into)
    assert more.added == 1
    assert [item.id for item in read_file(into, items.Quiz).questions] == ["91.q1", "91.q2", "91.q3"]
    cards = written(tmp_path / "c.json", [{"front": "a", "back": "b"}] * 2)
    assert import_file(cards, "91", topic="sums").added == 1


def test_topics_and_links_that_no_lesson_has_are_refused(tmp_path: Path) -> None:
    source = written(tmp_path / "q.json", [TEXT])
    into = tmp_path / "quiz.json"
    with pytest.raises(StudyFileError, match="Lesson 03 has no topic 'cooking'. Its topics: scheduler, "):
        import_file(source, "03", topic="cooking", into=into)
    for link in ("03.99", "03#nowhere", "03."):
        with pytest.raises(StudyFileError, match="leads nowhere"):
            import_file(source, "03", topic="starvation", link=link, into=into)
    with pytest.raises(StudyFileError, match="does not look like"):
        import_file(source, "03", topic="starvation", link="nonsense", into=into)
    assert not into.exists()
    assert import_file(source, "03", topic="starvation", link="03#starvation", into=into).added == 1
    cards = written(tmp_path / "c.json", [{"front": "a", "back": "b", "topic": "Cooking"}])
    done = import_file(cards, "03", topic="starvation")
    assert done.content.cards[0].topic == "starvation"  # type: ignore[union-attr]
    assert "'cooking' is not in lesson 03" in done.notes[0]
