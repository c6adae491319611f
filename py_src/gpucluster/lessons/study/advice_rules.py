"""The study advisor: a table of rules over checks, questions and cards. No model, no network.

Each rule looks for one kind of trace in the progress file, and gives points for each trace that it finds. The topics
with the most points come first. What was wrong once and is right now gives no points.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ...protocol.plain_text import counted
from ..learner_progress import Progress
from ..learner_progress.model import ExerciseProgress
from .bank.items import Card
from .bank.topics import Material

WEAK = 2
"""Points from which a topic is called weak: one question answered wrong, or two cards not known."""
MANY_ATTEMPTS = 3


@dataclass(frozen=True)
class Rule:
    """One row of the table.

    Attributes
    ----------
    points : int
        For each trace.
    find : callable
        Returns the numbers of the exercises, questions or cards that show the weakness.
    say : callable
        Makes a sentence of these numbers.
    """

    points: int
    find: Callable[[Material, Progress], list[str]]
    say: Callable[[list[str]], str]


@dataclass(frozen=True)
class Advice:
    """A weak topic, and what to do about it.

    Attributes
    ----------
    score : int
        Points; more is weaker.
    why : str
        The traces, in sentences.
    link : str
        The cell to read again.
    cards : tuple of str
        Two cards at most.
    exercise : str or None
        One exercise to do, or to do again.
    """

    topic: str
    title: str
    score: int
    why: str
    link: str
    cards: tuple[str, ...] = field(default=())
    exercise: str | None = None


def _not_passed(material: Material, progress: Progress) -> list[str]:
    return [name for name, entry in _tried(material, progress) if entry.state == "failed"]


def _many_attempts(material: Material, progress: Progress) -> list[str]:
    return [
        name
        for name, entry in _tried(material, progress)
        if entry.state == "failed" and entry.attempts >= MANY_ATTEMPTS
    ]


def _solution_seen(material: Material, progress: Progress) -> list[str]:
    return [name for name, entry in _tried(material, progress) if entry.solution_seen]


def _all_hints(material: Material, progress: Progress) -> list[str]:
    return [
        name
        for name, entry in _tried(material, progress)
        if entry.hints == 3 and not entry.solution_seen and entry.state != "passed"
    ]


def _wrong(material: Material, progress: Progress) -> list[str]:
    answered = [(question.id, progress.questions.get(question.id)) for question in material.questions]
    return [name for name, entry in answered if entry is not None and not entry.last_right]


def _not_known(material: Material, progress: Progress) -> list[str]:
    turned = [(card.id, progress.cards.get(card.id)) for card in material.cards]
    return [name for name, entry in turned if entry is not None and entry.box == 1]


RULES = (
    Rule(3, _not_passed, lambda found: f"The check of {_listed(found)} does not pass yet."),
    Rule(1, _many_attempts, lambda found: f"You have tried {_listed(found)} {MANY_ATTEMPTS} times or more."),
    Rule(2, _solution_seen, lambda found: f"You read the solution of {_listed(found)}."),
    Rule(1, _all_hints, lambda found: f"You have seen all hints of {_listed(found)}."),
    Rule(2, _wrong, lambda found: f"Your last answer to {counted(len(found), 'question')} was wrong."),
    Rule(1, _not_known, lambda found: f"You did not know {counted(len(found), 'card')}."),
)
"""The table."""


def advice_on(materials: Iterable[Material], progress: Progress, limit: int = 3) -> list[Advice]:
    """Return the weak topics, the weakest first.

    Parameters
    ----------
    materials : iterable of Material
        The topics.
    progress : Progress
        What the learner has done.
    limit : int, optional
        Maximum number of topics.
    """
    judged = [_judge(material, progress) for material in materials]
    weak = sorted((one for one in judged if one.score >= WEAK), key=lambda one: -one.score)
    return weak[:limit]


def _judge(material: Material, progress: Progress) -> Advice:
    found = [(rule, rule.find(material, progress)) for rule in RULES]
    hits = [(rule, names) for rule, names in found if names]
    titles = {exercise.id: f"“{exercise.title}”" for exercise in material.exercises}
    return Advice(
        topic=material.name,
        title=material.title,
        score=sum(rule.points * len(names) for rule, names in hits),
        why=" ".join(rule.say([titles.get(name, name) for name in names]) for rule, names in hits),
        link=_where(material, progress),
        cards=tuple(card.id for card in _first_cards(material, progress)),
        exercise=_which_exercise(material, progress),
    )


def _where(material: Material, progress: Progress) -> str:
    """Return the cell that most of what was not known leads to, else the one that explains the topic."""
    faults = {*_wrong(material, progress), *_not_known(material, progress)}
    links = [item.link for item in (*material.questions, *material.cards) if item.id in faults]
    if links:
        return Counter(links).most_common(1)[0][0]
    return material.link or next((exercise.id for exercise in material.exercises), "")


def _first_cards(material: Material, progress: Progress) -> list[Card]:
    """Return two cards: those that were not known, then those never turned."""

    def rank(card: Card) -> tuple[int, int]:
        entry = progress.cards.get(card.id)
        return (1, 0) if entry is None else (0 if entry.box == 1 else 2, entry.box)

    return sorted(material.cards, key=rank)[:2]


def _which_exercise(material: Material, progress: Progress) -> str | None:
    """Return an exercise that does not pass, else one not begun, else one that was passed with the solution."""
    ranked = []
    for place, exercise in enumerate(material.exercises):
        entry = progress.exercises.get(exercise.id)
        if entry is None or entry.state == "not_yet":
            ranked.append((1, place, exercise.id))
        elif entry.state == "failed":
            ranked.append((0, place, exercise.id))
        elif entry.solution_seen:
            ranked.append((2, place, exercise.id))
    return min(ranked)[2] if ranked else None


def _tried(material: Material, progress: Progress) -> list[tuple[str, ExerciseProgress]]:
    found = [(exercise.id, progress.exercises.get(exercise.id)) for exercise in material.exercises]
    return [(name, entry) for name, entry in found if entry is not None]


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
