"""``cards("03")`` and ``hooks()``: cards to turn, and the six memory hooks."""

from collections.abc import Sequence

from ...protocol.errors import GPUClusterError
from ..catalogue import find_lesson
from ..learner_progress import Progress, due_cards, is_due, load
from .bank.files import all_cards, cards_of, hook_cards
from .bank.items import Card
from .output import StudyOutput, details, html_of, inline, sentence, summary_of


def cards(lesson: str | None = None, *, due: bool = False) -> StudyOutput:
    """Show cards: read the front, say the answer aloud, turn the card.

    A card that you knew comes again after 2, 5 and then 10 days, one that you did not know tomorrow.

    Parameters
    ----------
    lesson : str, optional
        Number of the lesson, such as ``"03"``. Left out: those of all lessons.
    due : bool, optional
        Only the cards whose day has come, and those that you have never turned; of all lessons, only those begun.
    """
    try:
        found = all_cards() if lesson is None else cards_of(lesson)
        if due:
            wanted = _due(found, load(), everything=lesson is not None)
            found = [card for card in found if card.id in wanted]
    except GPUClusterError as error:
        return sentence(error.message)
    known = find_lesson(lesson) if lesson else None
    title = f"Cards: {known.title}" if known else "Cards"
    if not found:
        return sentence("No card is due today." if due else "There are no cards yet.")
    return show_cards(lesson or "all", f"{title} (due today)" if due else title, found)


def _due(found: list[Card], progress: Progress, *, everything: bool) -> list[str]:
    ids = [card.id for card in found]
    return [card for card in ids if is_due(progress.cards.get(card))] if everything else due_cards(progress, ids)


def hooks() -> StudyOutput:
    """Show the six memory hooks: short rules that hold a whole topic."""
    try:
        return show_cards("hooks", "Memory hooks", hook_cards())
    except GPUClusterError as error:
        return sentence(error.message)


def show_cards(name: str, title: str, shown: Sequence[Card]) -> StudyOutput:
    """Return cards as an output."""
    fields = ("id", "topic", "link", "front", "back", "name")
    record = {
        "kind": "cards",
        "schema_version": 1,
        "id": name,
        "title": title,
        "cards": [{field: getattr(card, field) for field in fields} for card in shown],
    }
    html = f"<h3>{inline(title)}</h3>" + "".join(
        details(f"{_name_html(card)}{summary_of(card.front)}", html_of(card.back)) for card in shown
    )
    lines = [f"{number}. {_name_text(card)}{card.front}" for number, card in enumerate(shown, start=1)]
    return StudyOutput(record, html, "\n\n".join([title, *lines]))


def _name_html(card: Card) -> str:
    return f"<strong>{inline(card.name)}</strong>: " if card.name else ""


def _name_text(card: Card) -> str:
    return f"{card.name}: " if card.name else ""
