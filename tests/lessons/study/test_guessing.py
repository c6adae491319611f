"""Who knows nothing gets what chance gives: no habit of the authors tells which option is right."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from gpucluster.lessons.study.bank.files import all_questions
from gpucluster.lessons.study.bank.items import ChoiceQuestion, Option, SeveralQuestion
from gpucluster.lessons.study.exam import concept_of, draw
from gpucluster.lessons.study.quiz import options_of

MARGIN = 0.05
QUESTIONS = [question for question in all_questions() if isinstance(question, ChoiceQuestion)]
HEDGES = re.compile(
    r"\b(may|can|only|usually|about|often|some|most|almost|if|when|unless|at most|at least|because|but)\b"
)
ABSOLUTES = re.compile(r"\b(always|never|all|every|nothing|none|no|nobody|each|only)\b")
WORD = re.compile(r"[a-z]{4,}")


def _lengths(options: list[Option]) -> list[int]:
    return [len(option.text) for option in options]


def _count(pattern: str | re.Pattern[str]) -> Callable[..., list[int]]:
    return lambda question, options: [len(re.findall(pattern, option.text.lower())) for option in options]


def _shared(question: ChoiceQuestion, options: list[Option]) -> list[int]:
    asked = set(WORD.findall(question.stem.lower()))
    return [len(asked & set(WORD.findall(option.text.lower()))) for option in options]


def _odd_length(question: ChoiceQuestion, options: list[Option]) -> list[float]:
    lengths = _lengths(options)
    return [abs(length - sum(lengths) / len(lengths)) for length in lengths]


def _second_longest(question: ChoiceQuestion, options: list[Option]) -> list[int]:
    lengths = _lengths(options)
    return [length == sorted(lengths)[-2] for length in lengths]


STRATEGIES: dict[str, Callable[..., Any]] = {
    "longest": lambda question, options: _lengths(options),
    "shortest": lambda question, options: [-length for length in _lengths(options)],
    "second longest": _second_longest,
    "odd one out by length": _odd_length,
    "most words": lambda question, options: [len(option.text.split()) for option in options],
    "most numbers": _count(r"\d"),
    "most qualified": _count(HEDGES),
    "least absolute": lambda question, options: [-number for number in _count(ABSOLUTES)(question, options)],
    "most code": _count("`"),
    "most punctuation": _count(r"[,:;()]"),
    "most words of the question": _shared,
    **{f"place {place}": lambda question, options, place=place: [index == place for index in range(len(options))]
       for place in range(4)},
}  # fmt: skip


@pytest.mark.parametrize("name", STRATEGIES)
def test_no_strategy_beats_chance(name: str) -> None:
    scored = 0.0
    for question in QUESTIONS:
        options = list(options_of(question).values())
        scores = STRATEGIES[name](question, options)
        best = [option for option, score in zip(options, scores, strict=True) if score == max(scores)]
        scored += sum(option.correct for option in best) / len(best)  # of several equally good ones, one by chance
    chance = sum(1 / len(question.options) for question in QUESTIONS) / len(QUESTIONS)
    assert scored / len(QUESTIONS) == pytest.approx(chance, abs=MARGIN)


def test_ticking_everything_is_never_right() -> None:
    several = [question for question in all_questions() if isinstance(question, SeveralQuestion)]
    assert [question.id for question in several if all(option.correct for option in question.options)] == []


@pytest.mark.parametrize("number", [10, 40])
def test_an_exam_asks_no_concept_twice(number: int) -> None:
    for seed in range(100):
        drawn = draw(all_questions(), seed, number)
        assert len(drawn) == number
        assert len({concept_of(question) for question in drawn}) == number


def test_concepts_and_stems_of_questions() -> None:
    assert [question.id for question in all_questions() if question.concept is None] == []
    times = Counter(concept_of(question) for question in all_questions())
    assert {concept: number for concept, number in times.items() if number > 2} == {}
    assert len(draw(all_questions(), 1, len(all_questions()))) == len(times), "all concepts can be drawn"
    stems = Counter((question.stem, question.code) for question in all_questions())
    assert [stem for stem, number in stems.items() if number > 1] == []
