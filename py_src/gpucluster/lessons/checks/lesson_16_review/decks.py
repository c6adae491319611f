"""Lesson 16, no cluster needed: when a card comes again, and how one is found."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise
from ..answers import several

DAYS = {1: 1, 2: 2, 3: 5, 4: 10}
State = tuple[int, int] | None
Deck = dict[str, State]
WORDS = ("Pool", "graph", "Shuffle", "worker", "spill", "task", "Nsight", "mean", "sum", "count", "lazy", "stream")


def turned(card: State, known: bool, today: int) -> tuple[int, int]:
    """Return box and day of a card after it was turned."""
    box = min((card[0] if card else 1) + 1, 4) if known else 1
    return box, today + DAYS[box]


def due_of(cards: Deck, today: int) -> list[str]:
    """Return the cards to turn today, in the order of the lesson."""

    def rank(name: str) -> tuple[int, int, int, str]:
        card = cards[name]
        return (1, 0, 0, name) if card is None else (0, card[1], card[0], name)

    return sorted((name for name, card in cards.items() if card is None or card[1] <= today), key=rank)


def random_deck(rng: np.random.Generator, today: int, size: int = 14) -> Deck:
    """Return cards in all boxes, overdue, due, early and never turned; several alike."""
    deck: Deck = {}
    for place in rng.permutation(size):
        day, box = today + int(rng.integers(-4, 4)), int(rng.integers(1, 5))
        deck[f"c{place}"] = None if rng.random() < 0.25 else (box, day)
    return deck


def found_by(cards: list[dict[str, str]], query: str) -> list[str]:
    """Return the cards that have all words, those with more of them on the front first."""
    words = set(query.lower().split())
    hits = []
    for place, card in enumerate(cards):
        front, back = card["front"].lower(), card["back"].lower()
        if words and all(word in front or word in back for word in words):
            hits.append((-sum(word in front for word in words), place, card["id"]))
    return [name for _, _, name in sorted(hits)]


@exercise("16.4", "turn", "due")
def check_boxes(exam: Examination, turn: Any, due: Any) -> None:
    """All boxes, both answers, on random days; then random decks."""
    rng = exam.rng
    for card in [None, *((box, day) for box in DAYS for day in (-3, 0))]:
        today = int(rng.integers(5, 400))
        state = None if card is None else (card[0], today + card[1])
        for known in (True, False):
            box, day = several(exam, exam.call(turn, state, known, today), "the box", "the day")
            new = turned(state, known, today)
            was = "a new card" if state is None else f"box {state[0]}"
            exam.expect("A known card goes one box up, at most to box 4" if known else "A card not known goes to box 1",
                        box == new[0], f"{was}: to {box!r}")  # fmt: skip
            exam.expect("It comes again after the days of its new box, counted from today", day == new[1],
                        f"{was}, {'known' if known else 'not known'} on day {today}: day {day!r}")  # fmt: skip
    for _ in range(20):
        today = int(rng.integers(5, 400))
        deck = random_deck(rng, today)
        result = exam.call(due, deck, today)
        exam.require("`due` returns the names in a list", isinstance(result, (list, tuple)), describe(result))
        true = due_of(deck, today)
        missing, more = sorted(set(true) - set(result)), sorted(set(result) - set(true))
        exam.expect("Cards whose day has come are there, and those never turned", not missing,
                    f"{missing[:1]} is missing, {[deck[name] for name in missing[:1]]} on day {today}")  # fmt: skip
        exam.expect("No other card is there", not more and len(result) == len(set(result)),
                    f"{more[:1]}, {[deck.get(name) for name in more[:1]]} on day {today}")  # fmt: skip
        if not missing and not more:
            exam.expect("The order is the one that the exercise asks for", list(result) == true,
                        f"{list(result)[:4]} instead of {true[:4]}")  # fmt: skip
    found = exam.call(due, {"a": (1, 9), "b": (4, 12)}, 5)
    exam.expect("A deck with nothing to turn gives an empty list", not list(found), f"{found!r}")


@exercise("16.5", "search")
def check_search(exam: Examination, search: Any) -> None:
    """Random cards and queries of one to three words."""
    rng = exam.rng
    for _ in range(30):
        sides = [" ".join(str(word) for word in rng.choice(WORDS, 4)) for _ in range(24)]
        cards = [{"id": f"c{n}", "front": sides[2 * n], "back": sides[2 * n + 1] + "s."} for n in range(12)]
        query = " ".join(str(word).lower() for word in rng.choice(WORDS, int(rng.integers(1, 4))))
        _compare(exam, search, cards, query)
        _compare(exam, search, cards, query[:3].upper())
    # A word that stands three times in the query counts once, so the second card comes first.
    one, two, three = (str(word) for word in rng.choice(WORDS, 3, replace=False))
    cards = [{"id": "c0", "front": one, "back": f"{two} {three}"}, {"id": "c1", "front": f"{two} {three}", "back": one}]
    _compare(exam, search, cards, f"{one} {two} {one} {three} {one}")
    _compare(exam, search, [{"id": "x", "front": "A pool", "back": "of memory"}], "   ")
    _compare(exam, search, [{"id": "x", "front": "A pool", "back": "of memory"}], "pool graph")
    # A word does not begin on one side and end on the other.
    _compare(exam, search, [{"id": "x", "front": "A slow data", "back": "base of memory"}], "database")


def _compare(exam: Examination, search: Any, cards: list[dict[str, str]], query: str) -> None:
    result, true = exam.call(search, cards, query), found_by(cards, query)
    exam.require("It returns the ids in a list", isinstance(result, (list, tuple)), describe(result))
    missing, more = [name for name in true if name not in result], [name for name in result if name not in true]
    if not query.strip():
        exam.expect("A query without words finds nothing", not list(result), f"{list(result)}")
        return
    exam.expect("Every card that has all the words is found", not missing, _said(cards, missing, query))
    exam.expect("No other card is found", not more and len(set(result)) == len(result), _said(cards, more, query))
    if not missing and not more:
        exam.expect("Those with more of the words on the front come first, others in the given order",
                    list(result) == true, f"{list(result)[:4]} instead of {true[:4]} for {query!r}")  # fmt: skip


def _said(cards: list[dict[str, str]], names: list[str], query: str) -> str:
    sides = [f"{card['front']} / {card['back']}" for card in cards if card["id"] in names[:1]]
    return f"{query!r}: {sides[0]}" if sides else f"{query!r}"
