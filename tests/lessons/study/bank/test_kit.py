"""The questions and cards of the real lessons: in order, and every link leads somewhere."""

import ast
import json
import re
from pathlib import Path

import jsonschema
import pytest
from gpucluster.lessons.catalogue import COURSE, Lesson, lessons
from gpucluster.lessons.study import schemas
from gpucluster.lessons.study.bank import items
from gpucluster.lessons.study.bank.files import all_cards, cards_of, hook_cards, problems_of, questions_of, read_file
from gpucluster.lessons.study.quiz import options_of

MODELS = {"quiz": items.Quiz, "cards": items.Cards, "parsons": items.ParsonsFile, "hooks": items.Hooks}
FILES = [*(path for name in ("quiz", "cards", "parsons") for path in sorted(COURSE.glob(f"*/{name}.json"))),
         COURSE / "hooks.json"]  # fmt: skip
LESSONS = lessons()
PLACE = re.compile(r"\b(all|none|both) of the above\b|\b(option|answer) [abcd]\b|\bfirst option\b", re.IGNORECASE)


def places() -> set[str]:
    """Return everything that a link may lead to."""
    exercises = {exercise.id for lesson in lessons() for exercise in lesson.exercises}
    return exercises | {f"{lesson.id}#{name}" for lesson in lessons() for name in lesson.anchors}


def topics() -> set[str]:
    return {topic.name for lesson in lessons() for topic in lesson.topics}


def check_places(found: list[items.Question] | list[items.Card]) -> None:
    known, named_topics = places(), topics()
    assert {one.id: one.link for one in found if one.link not in known} == {}
    assert {one.id: one.topic for one in found if one.topic not in named_topics} == {}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_is_in_order(path: Path) -> None:
    read_file(path, MODELS[path.stem])
    jsonschema.validate(json.loads(path.read_text(encoding="utf-8")), schemas.schema_of(f"{path.stem}.schema.json"))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_questions_and_cards_of_a_lesson(lesson: Lesson) -> None:
    questions, cards = questions_of(lesson.id), cards_of(lesson.id)
    check_places(questions)
    check_places(cards)
    assert len(cards) >= 8, "enough cards"
    exam = [question for question in questions if question.exam_only]
    assert len(exam) >= 5
    assert len(questions) - len(exam) >= 5
    assert sum(bool(question.code) for question in questions) >= 2
    for question in questions:
        if isinstance(question, items.ChoiceQuestion):
            assert len(question.options) == 4, question.id
        if isinstance(question, items.ChoiceQuestion | items.SeveralQuestion):
            told = [option.text for option in question.options if PLACE.search(f"{option.text} {option.why}")]
            assert told == [], f"{question.id}: options are shuffled"
        if question.code and not question.code.lstrip().startswith(("$", "%", "!")):
            ast.parse(question.code)


def test_all_questions_cards_and_problems() -> None:
    questions = [question for lesson in LESSONS for question in questions_of(lesson.id)]
    choices = [question for question in questions if isinstance(question, items.ChoiceQuestion)]
    found = [letter for one in choices for letter, option in options_of(one).items() if option.correct]
    assert [letter for letter in "abcd" if found.count(letter) < len(found) / 20] == [], "right options in every place"
    assert 3 * sum(bool(question.code) for question in questions) >= len(questions), "a third shows code"
    ids = [card.id for card in all_cards()]
    assert len(ids) == len(set(ids))
    for lesson in LESSONS:
        problems = problems_of(lesson.id) if (lesson.folder / "parsons.json").exists() else ()
        assert [problem.id for problem in problems if lesson.exercise(problem.id) is None] == []


def test_there_are_six_hooks() -> None:
    hooks = hook_cards()
    assert len(hooks) == 6
    known = places() | {lesson.id for lesson in lessons()}
    assert {card.id: card.link for card in hooks if card.link not in known} == {}
    assert {card.id: card.topic for card in hooks if card.topic not in topics()} == {}


def test_a_topic_of_two_lessons_has_one_title() -> None:
    titles: dict[str, set[str]] = {}
    for lesson in lessons():
        for topic in lesson.topics:
            titles.setdefault(topic.name, set()).add(topic.title)
    assert {name: found for name, found in titles.items() if len(found) > 1} == {}
