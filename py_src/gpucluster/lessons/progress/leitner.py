"""Leitner boxes: a card that was known waits longer before it is shown again."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from .model import CardProgress

DAYS = (1, 2, 5, 10)
"""Days until a card of box 1, 2, 3 or 4 is due again."""


def turned(card: CardProgress | None, *, known: bool, at: datetime) -> CardProgress:
    """Return the card after the learner said whether they knew it: one box up, or back to the first."""
    before = card.box if card else 1
    box = min(before + 1, len(DAYS)) if known else 1
    due_on = at.astimezone().date() + timedelta(days=DAYS[box - 1])
    return CardProgress(box=box, due_on=due_on, seen=(card.seen if card else 0) + 1, last_at=at)


def is_due(card: CardProgress | None, today: date | None = None) -> bool:
    """Whether a card is to be shown; one that was never turned is due."""
    return card is None or card.due_on <= (today or date.today())
