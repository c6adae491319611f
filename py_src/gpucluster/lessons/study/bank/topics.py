"""The topics of all lessons, each with what there is to study it: exercises, questions and cards."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...catalogue import Exercise, Lesson, lessons
from .files import all_cards, all_questions
from .items import Card, Question


@dataclass
class Material:
    """What belongs to one topic.

    Attributes
    ----------
    name : str
        Such as ``"starvation"``.
    title : str
        For people, such as ``"Starvation and sharing"``.
    link : str
        The place that explains it, such as ``"03#starvation"``; empty when no lesson says where.
    """

    name: str
    title: str
    link: str = ""
    exercises: list[Exercise] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)


def materials() -> dict[str, Material]:
    """Return the topics of the lessons that come with the package, in the order of the lessons."""
    return collect(lessons(), all_questions(), all_cards())


def collect(known: Iterable[Lesson], questions: Iterable[Question], cards: Iterable[Card]) -> dict[str, Material]:
    """Sort exercises, questions and cards by topic."""
    found: dict[str, Material] = {}

    def of(topic: str) -> Material:
        return found.setdefault(topic, Material(topic, topic.replace("-", " ").capitalize()))

    for lesson in known:
        for topic in lesson.topics:
            entry = of(topic.name)
            if not entry.link:  # a topic that a later lesson takes up again is explained where it came first
                entry.title, entry.link = topic.title, topic.link
        for exercise in lesson.exercises:
            if exercise.topic:
                of(exercise.topic).exercises.append(exercise)
    for question in questions:
        of(question.topic).questions.append(question)
    for card in cards:
        of(card.topic).cards.append(card)
    return found
