"""``advise()``: show what to repeat, and why."""

from dataclasses import asdict
from html import escape
from typing import Any

from ...protocol.errors import GPUClusterError
from ..catalogue import lessons
from ..hints import title_of
from ..learner_progress import Progress, load
from .advice_rules import Advice, advice_on
from .bank.items import Card
from .bank.topics import Material, materials
from .output import StudyOutput, details, html_of, inline, sentence, summary_of


def advise() -> StudyOutput:
    """Show your weak topics: why each is called weak, where it is explained, two cards and one exercise."""
    try:
        progress = load()
    except GPUClusterError as error:
        return sentence(error.message)
    topics = materials()
    found = advice_on(topics.values(), progress)
    return _shown(found, topics) if found else sentence(_nothing_weak(progress))


def weak_topics(progress: Progress) -> list[Advice]:
    """Return the advice for a learner's progress, the weakest topic first; for the panel."""
    return advice_on(materials().values(), progress)


def _shown(found: list[Advice], topics: dict[str, Material]) -> StudyOutput:
    by_id = {card.id: card for topic in topics.values() for card in topic.cards}
    record: dict[str, Any] = {"kind": "advice", "schema_version": 1, "items": [_item(one) for one in found]}
    html = "<h3>What to repeat</h3>" + "".join(_html(one, by_id) for one in found)
    return StudyOutput(record, html, "\n\n".join(["What to repeat", *(_text(one) for one in found)]))


def _item(advice: Advice) -> dict[str, Any]:
    title = title_of(advice.exercise) if advice.exercise else None
    return {**asdict(advice), "cards": list(advice.cards), "exercise_title": title or None}


def _html(advice: Advice, cards: dict[str, Card]) -> str:
    turned = "".join(details(summary_of(cards[name].front), html_of(cards[name].back)) for name in advice.cards)
    why = f"<p><strong>{inline(advice.title)}</strong>. {escape(advice.why)} {_where(advice)}</p>"
    return f"<section>{why}{turned}</section>"


def _text(advice: Advice) -> str:
    cards = f" Cards: {', '.join(advice.cards)}." if advice.cards else ""
    return f"{advice.title}: {advice.why} {_where(advice)}{cards}"


def _where(advice: Advice) -> str:
    title = f" {title_of(advice.exercise)}" if advice.exercise else ""
    if advice.link == advice.exercise:
        return f"Go back to exercise {advice.exercise}{title}."
    lesson, _, anchor = advice.link.partition("#")
    place = f"Read again: lesson {lesson}, cell {anchor}." if anchor else f"Read again: {lesson}."
    return place + (f" Then do exercise {advice.exercise}{title}." if advice.exercise else "")


def _nothing_weak(progress: Progress) -> str:
    """Say what comes next where nothing is weak."""
    for lesson in lessons():
        for exercise in lesson.exercises:
            entry = progress.exercises.get(exercise.id)
            if entry is None or entry.state != "passed":
                return (
                    f"No topic is weak so far. Next: exercise {exercise.id}, {exercise.title}, in lesson {lesson.id}."
                )
    return "No topic is weak, and all exercises are done. Take a practice exam: `lessons.exam()`."
