"""The questions and cards of the real lessons: in order, and every link leads somewhere."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import jsonschema
import pytest
from gpucluster.lessons.catalogue import COURSE, Lesson, lessons
from gpucluster.lessons.study import schemas
from gpucluster.lessons.study.bank.files import all_cards, cards_of, hook_cards, problems_of, questions_of, read_file
from gpucluster.lessons.study.bank.items import (
    Card,
    Cards,
    ChoiceQuestion,
    Hooks,
    ParsonsFile,
    Question,
    Quiz,
    SeveralQuestion,
)
from gpucluster.lessons.study.quiz import options_of

MODELS = {"quiz": Quiz, "cards": Cards, "parsons": ParsonsFile, "hooks": Hooks}
FILES = [*(path for name in ("quiz", "cards", "parsons") for path in sorted(COURSE.glob(f"*/{name}.json"))),
         COURSE / "hooks.json"]  # fmt: skip
LESSONS = lessons()


def named(lesson: Lesson) -> str:
    return lesson.slug


def places() -> set[str]:
    """Return everything that a link may lead to."""
    exercises = {exercise.id for lesson in lessons() for exercise in lesson.exercises}
    return exercises | {f"{lesson.id}#{name}" for lesson in lessons() for name in lesson.anchors}


def topics() -> set[str]:
    return {topic.name for lesson in lessons() for topic in lesson.topics}


def check_places(items: list[Question] | list[Card]) -> None:
    known, named_topics = places(), topics()
    assert {item.id: item.link for item in items if item.link not in known} == {}
    assert {item.id: item.topic for item in items if item.topic not in named_topics} == {}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_is_in_order(path: Path) -> None:
    read_file(path, MODELS[path.stem])
    jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), schemas.schema_of(f"{path.stem}.schema.json"))


@pytest.mark.parametrize("lesson", LESSONS, ids=named)
def test_questions_lead_to_a_cell_and_a_topic(lesson: Lesson) -> None:
    check_places(questions_of(lesson.id))


@pytest.mark.parametrize("lesson", LESSONS, ids=named)
def test_cards_lead_to_a_cell_and_a_topic(lesson: Lesson) -> None:
    check_places(cards_of(lesson.id))


@pytest.mark.parametrize("lesson", LESSONS, ids=named)
def test_a_quiz_has_what_a_lesson_needs(lesson: Lesson) -> None:
    questions = questions_of(lesson.id)
    exam = [question for question in questions if question.exam_only]
    assert len(exam) >= 5
    assert len(questions) - len(exam) >= 5
    assert sum(bool(question.code) for question in questions) >= 2


@pytest.mark.parametrize("lesson", LESSONS, ids=named)
def test_a_choice_has_four_options(lesson: Lesson) -> None:
    short = [question.id for question in questions_of(lesson.id)
             if isinstance(question, ChoiceQuestion) and len(question.options) != 4]  # fmt: skip
    assert short == []


@pytest.mark.parametrize("lesson", LESSONS, ids=named)
def test_no_option_speaks_of_the_place_of_another(lesson: Lesson) -> None:
    """Options are shuffled."""
    place = re.compile(r"\b(all|none|both) of the above\b|\b(option|answer) [abcd]\b|\bfirst option\b", re.IGNORECASE)
    asked = [item for item in questions_of(lesson.id) if isinstance(item, ChoiceQuestion | SeveralQuestion)]
    told = [item.id for item in asked for option in item.options if place.search(f"{option.text} {option.why}")]
    assert told == []


@pytest.mark.parametrize("lesson", LESSONS, ids=named)
def test_code_below_a_stem_is_python(lesson: Lesson) -> None:
    for question in questions_of(lesson.id):
        if question.code and not question.code.lstrip().startswith(("$", "%", "!")):
            ast.parse(question.code)


@pytest.mark.parametrize("lesson", LESSONS, ids=named)
def test_there_are_enough_cards(lesson: Lesson) -> None:
    assert len(cards_of(lesson.id)) >= 8


def test_parsons_problems_belong_to_exercises() -> None:
    for lesson in lessons():
        if (lesson.folder / "parsons.json").exists():
            for problem in problems_of(lesson.id):
                assert lesson.exercise(problem.id) is not None


def test_right_options_stand_in_every_place() -> None:
    found = [letter for lesson in LESSONS for question in questions_of(lesson.id)
             if isinstance(question, ChoiceQuestion)
             for letter, option in options_of(question).items() if option.correct]  # fmt: skip
    for letter in "abcd":
        assert found.count(letter) >= len(found) / 20


def test_a_third_of_all_questions_shows_code() -> None:
    questions = [question for lesson in LESSONS for question in questions_of(lesson.id)]
    assert 3 * sum(bool(question.code) for question in questions) >= len(questions)


def test_there_are_six_hooks() -> None:
    hooks = hook_cards()
    assert len(hooks) == 6
    known = places() | {lesson.id for lesson in lessons()}
    assert {card.id: card.link for card in hooks if card.link not in known} == {}
    assert {card.id: card.topic for card in hooks if card.topic not in topics()} == {}


def test_ids_of_cards_are_unique() -> None:
    ids = [card.id for card in all_cards()]
    assert len(ids) == len(set(ids))


def test_a_topic_of_two_lessons_has_one_title() -> None:
    titles: dict[str, set[str]] = {}
    for lesson in lessons():
        for topic in lesson.topics:
            titles.setdefault(topic.name, set()).add(topic.title)
    assert {name: found for name, found in titles.items() if len(found) > 1} == {}
