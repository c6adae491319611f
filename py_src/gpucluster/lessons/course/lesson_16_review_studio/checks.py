"""The checks of lesson 16."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from ...answers import number, several
from ...checks import exercise
from ...examination import Examination, describe
from ...learner_progress import Progress
from ...learner_progress.events import EVENT
from ...learner_progress.recording import apply
from ...study.advice_rules import RULES, WEAK
from ...study.bank.topics import Material
from ...study.certificate import LEVELS, level_of

# No cluster needed: points that guessing does not raise, and how lucky a guesser can be.


Item = tuple[str, int | None, str]


def points_of(kind: str, options: int | None, outcome: str) -> float:
    """Return the points of one answer: a guesser gets 0 on average."""
    if outcome == "skipped":
        return 0.0
    if outcome == "right":
        return 1.0
    if options is None:
        return 0.0
    ways = options if kind == "choice" else 2**options - 1
    return -1 / (ways - 1)


def luck_of(chances: Sequence[float], right: int) -> float:
    """Return the probability that a guesser has at least this many right."""
    spread = np.ones(1)
    for chance in chances:
        spread = np.convolve(spread, [1 - chance, chance])
    return float(spread[max(right, 0) :].sum())


def mark_of(chances: Sequence[float], risk: float) -> int:
    """Return the smallest number of right answers that a guesser reaches with at most this probability."""
    return next(right for right in range(len(chances) + 2) if luck_of(chances, right) <= risk)


def random_paper(rng: np.random.Generator, size: int) -> list[Item]:
    """Return answers of all kinds and outcomes."""
    paper: list[Item] = []
    for _ in range(size):
        kind = str(rng.choice(["choice", "several", "number", "text"]))
        options = int(rng.integers(2, 8)) if kind in {"choice", "several"} else None
        paper.append((kind, options, str(rng.choice(["right", "wrong", "skipped"]))))
    return paper


@exercise("16.1", "fair_points")
def check_points(exam: Examination, fair_points: Any) -> None:
    """Each rule alone, then 40 mixed papers."""

    def given(paper: list[Item]) -> float:
        return number(exam, exam.call(fair_points, paper), "What it returns")

    def same(found: float, true: float) -> bool:
        return abs(found - true) < 1e-9

    empty = given([])
    exam.expect("An empty paper gives 0 points", same(empty, 0), f"{empty:g}")
    for kind, options in (("choice", 4), ("several", 5), ("number", None), ("text", None)):
        plus, nothing = given([(kind, options, "right")]), given([(kind, options, "skipped")])
        exam.expect("A right answer gives 1 point", same(plus, 1), f"{kind}: {plus:g}")
        exam.expect("A skipped question gives 0 points", same(nothing, 0), f"{kind}: {nothing:g}")
    for options in range(2, 9):
        for kind, ways in (("choice", options), ("several", 2**options - 1)):
            lost = given([(kind, options, "wrong")])
            mean = (1 + (ways - 1) * lost) / ways
            exam.expect(f"Guessing a question of kind {kind!r} gives 0 on average", same(mean, 0),
                        f"{mean:+.3f} points with {options} options")  # fmt: skip
    for kind in ("number", "text"):
        lost = given([(kind, None, "wrong")])
        exam.expect("A wrong number or text costs nothing", same(lost, 0), f"{kind}: {lost:g}")
    for _ in range(40):
        paper = random_paper(exam.rng, int(exam.rng.integers(2, 30)))
        true, found = sum(points_of(*item) for item in paper), given(paper)
        if not exam.expect("The points of a paper are the sum", same(found, true),
                           f"{found:.3f} instead of {true:.3f} for {len(paper)} answers"):  # fmt: skip
            return


@exercise("16.2", "luck", "pass_mark")
def check_luck(exam: Examination, luck: Any, pass_mark: Any) -> None:
    """Exact for random exams, even with questions of different kinds, and at both ends."""
    rng = exam.rng
    exams = [[0.25] * 10, [0.5, 0.5], [1.0, 0.0, 0.25], [0.2]]
    exams += [[float(one) for one in rng.uniform(0.03, 0.6, int(rng.integers(1, 13)))] for _ in range(25)]
    for chances in exams:
        wanted = [0, 1, len(chances), len(chances) + 1, int(rng.integers(0, len(chances) + 1))]
        for right in wanted:
            found = number(exam, exam.call(luck, list(chances), right), "What `luck` returns")
            true = luck_of(chances, right)
            kind = "alike" if len(set(chances)) == 1 else "of different kinds"
            exam.expect(f"`luck` is exact for questions {kind}", abs(found - true) < 1e-7,
                        f"{found:.6f} instead of {true:.6f}: {right} of {len(chances)}")  # fmt: skip
    for chances in exams:
        risks = [float(rng.uniform(0.002, 0.4)) for _ in range(3)]
        risks = [risk for risk in risks if min(abs(luck_of(chances, k) - risk) for k in range(len(chances) + 2)) > 1e-6]
        if set(chances) <= {0.25, 0.5}:  # such chances can be written exactly: so can the risk
            risks.append(luck_of(chances, len(chances)))
        for risk in risks:
            mark, true_mark = exam.call(pass_mark, list(chances), risk), mark_of(chances, risk)
            whole = number(exam, mark, "What `pass_mark` returns")
            exam.expect("`pass_mark` is the smallest number that is safe enough", whole == true_mark,
                        f"{mark} instead of {true_mark}: {len(chances)} questions, risk {risk:.4f}")  # fmt: skip
    mark = exam.call(pass_mark, [0.5, 0.25], 1.0)
    exam.expect("If any risk is accepted, no right answer is needed", mark == 0, f"{mark} for a risk of 1")
    mark = exam.call(pass_mark, [0.5], 0.05)
    exam.expect("If even all correct is too likely, it is one more than the number of questions", mark == 2,
                f"{mark} for one question that is right by chance every second time")  # fmt: skip


# No cluster needed: the table of the study advisor, applied to what a learner did.


Event = dict[str, Any]
Topics = dict[str, list[str]]
AT = datetime(2026, 1, 1, tzinfo=UTC)


def progress_after(events: list[Event]) -> Progress:
    """Return the progress of someone who did all this, and nothing before."""
    progress = Progress()
    for event in events:
        apply(progress, EVENT.validate_python(event), AT)
    return progress


def weak_of(events: list[Event], topics: Topics) -> list[tuple[str, int]]:
    """Return what the kit's own table says: the weak topics, most points first, three at most."""
    progress = progress_after(events)
    found = []
    for name, ids in topics.items():
        # The rules look at nothing but the ids.
        items = [SimpleNamespace(id=one, title=one) for one in ids]
        material = Material(name, name)
        material.exercises = cast("Any", [item for item in items if item.id.partition(".")[2].isdigit()])
        material.questions = cast("Any", [item for item in items if ".q" in item.id])
        material.cards = cast("Any", [item for item in items if ".c" in item.id])
        points = sum(rule.points * len(rule.find(material, progress)) for rule in RULES)
        if points >= WEAK:
            found.append((name, points))
    return sorted(found, key=lambda one: -one[1])[:3]


def random_topics(rng: np.random.Generator) -> Topics:
    """Return five topics, each with exercises, questions and cards, in random order."""
    names = [str(name) for name in rng.permutation(["pools", "graphs", "joins", "means", "streams"])]
    return {
        name: [f"9{n}.1", f"9{n}.2", f"9{n}.q1", f"9{n}.q2", f"9{n}.c1", f"9{n}.c2"] for n, name in enumerate(names)
    }


def random_events(rng: np.random.Generator, topics: Topics, size: int) -> list[Event]:
    """Return events of all kinds about the things of these topics, and about one thing of none."""
    things = [one for ids in topics.values() for one in ids] + ["99.1"]
    events: list[Event] = []
    for _ in range(size):
        thing = str(rng.choice(things))
        if ".q" in thing:
            right = bool(rng.random() < 0.5)
            asked = {"kind": "exam", "answers": {thing: right}} if rng.random() < 0.3 else None
            events.append(asked or {"kind": "question", "id": thing, "right": right})
        elif ".c" in thing:
            events.append({"kind": "card", "id": thing, "known": bool(rng.random() < 0.5)})
        else:
            chance = rng.random()
            if chance < 0.7:
                state = str(rng.choice(["failed", "failed", "failed", "passed", "not_yet"]))
                events.append({"kind": "check", "exercise": thing, "state": state})
            elif chance < 0.92:
                events.append({"kind": "hint", "exercise": thing, "number": int(rng.integers(1, 4))})
            else:
                events.append({"kind": "solution", "exercise": thing})
    return events


def _check(state: str) -> Event:
    return {"kind": "check", "exercise": "90.1", "state": state}


HINTS = [{"kind": "hint", "exercise": "90.1", "number": number} for number in (1, 2, 3)]
READ = {"kind": "solution", "exercise": "90.1"}
CASES: tuple[tuple[str, list[Event], int], ...] = (
    ("A failed check gives 3 points", [_check("failed")], 3),
    ("Three failed checks give 4", [_check("failed")] * 3, 4),
    ("An exercise that has passed once stays passed", [_check("failed"), _check("passed"), _check("failed")], 0),
    ("Checks of empty answers do not count", [_check("not_yet")] * 4, 0),
    ("A solution that was read gives 2 points, even if the exercise has passed", [_check("passed"), READ], 2),
    ("All three hints give 1 more where nothing has passed", [_check("failed"), *HINTS], 4),
    ("Two hints give 0 points", [_check("failed"), *HINTS[:2]], 3),
    ("With the solution read, the hints do not count again", [_check("failed"), *HINTS, READ], 5),
    ("A wrong last answer gives 2", [{"kind": "question", "id": "90.q1", "right": False}], 2),
    ("A wrong answer that was later right gives 0 points",
     [{"kind": "question", "id": "90.q1", "right": right} for right in (False, True)], 0),
    ("Exam answers count like quiz answers",
     [{"kind": "question", "id": "90.q1", "right": True}, {"kind": "exam", "answers": {"90.q1": False}}], 2),
    ("Each card not known when last turned gives 1 point",
     [{"kind": "card", "id": f"90.c{n}", "known": False} for n in (1, 2)], 2),
    ("One point is not weak", [{"kind": "card", "id": "90.c1", "known": False}], 0),
)  # fmt: skip


@exercise("16.6", "weak_topics")
def check_advisor(exam: Examination, weak_topics: Any) -> None:
    """Each rule alone, then 30 random learners, compared with the kit's own table."""
    for what, events, points in CASES:
        topics = {"pools": ["90.1", "90.q1", "90.q2", "90.c1", "90.c2"]}
        found = _pairs(exam, exam.call(weak_topics, [dict(event) for event in events], topics))
        exam.expect(what, found == ([("pools", points)] if points else []), f"{found}")
    for _ in range(30):
        topics = random_topics(exam.rng)
        events = random_events(exam.rng, topics, int(exam.rng.integers(5, 70)))
        found, true = _pairs(exam, exam.call(weak_topics, events, topics)), weak_of(events, topics)
        exam.expect("At most three topics are returned", len(found) <= 3, f"{len(found)}")
        if sorted(found) == sorted(true):
            exam.expect("Most points first; ties in the order of `topics`", found == true, f"{found} instead of {true}")
        exam.expect("For random learners it follows the table", sorted(found) == sorted(true),
                    f"{found} instead of {true}, after {len(events)} events")  # fmt: skip


def _pairs(exam: Examination, result: Any) -> list[tuple[str, float]]:
    """Return what the learner's function gave as pairs of a name and points."""
    exam.require("It returns a list", isinstance(result, (list, tuple)), describe(result))
    pairs = all(isinstance(one, (list, tuple)) and len(one) == 2 for one in result)
    exam.require("Each entry is a pair: topic and points", pairs, describe(result))
    return [(str(name), points) for name, points in result]


# No cluster needed: when a card comes again, and how one is found.


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
            exam.expect("A known card moves up one box, to 4 at most" if known else "An unknown card moves to box 1",
                        box == new[0], f"{was}: to {box!r}")  # fmt: skip
            exam.expect("It returns after the days of its new box, counted from today", day == new[1],
                        f"{was}, {'known' if known else 'not known'} on day {today}: day {day!r}")  # fmt: skip
    for _ in range(20):
        today = int(rng.integers(5, 400))
        deck = random_deck(rng, today)
        result = exam.call(due, deck, today)
        exam.require("`due` returns the names in a list", isinstance(result, (list, tuple)), describe(result))
        true = due_of(deck, today)
        missing, more = sorted(set(true) - set(result)), sorted(set(result) - set(true))
        exam.expect("All due cards and all cards never turned are listed", not missing,
                    f"{missing[:1]} is missing, {[deck[name] for name in missing[:1]]} on day {today}")  # fmt: skip
        exam.expect("No other card is listed", not more and len(result) == len(set(result)),
                    f"{more[:1]}, {[deck.get(name) for name in more[:1]]} on day {today}")  # fmt: skip
        if not missing and not more:
            exam.expect("The cards are in the required order", list(result) == true,
                        f"{list(result)[:4]} instead of {true[:4]}")  # fmt: skip
    found = exam.call(due, {"a": (1, 9), "b": (4, 12)}, 5)
    exam.expect("If no card is due, the list is empty", not list(found), f"{found!r}")


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
    exam.expect("Every card with all the words is found", not missing, _said(cards, missing, query))
    exam.expect("No other card is found", not more and len(set(result)) == len(result), _said(cards, more, query))
    if not missing and not more:
        exam.expect("Cards with more of the words on the front come first, others in the given order",
                    list(result) == true, f"{list(result)[:4]} instead of {true[:4]} for {query!r}")  # fmt: skip


def _said(cards: list[dict[str, str]], names: list[str], query: str) -> str:
    sides = [f"{card['front']} / {card['back']}" for card in cards if card["id"] in names[:1]]
    return f"{query!r}: {sides[0]}" if sides else f"{query!r}"


# No cluster needed: whether a habit of the authors tells which option is right.


Asked = dict[str, Any]


def gain_of(questions: list[Asked], score: Callable[[str], float]) -> float:
    """Return how much more often than by chance the option with the highest score is right."""
    total = 0.0
    for question in questions:
        scores = [score(option) for option in question["options"]]
        best = [place for place, one in enumerate(scores) if one == max(scores)]
        total += (question["right"] in best) / len(best) - 1 / len(scores)
    return total / len(questions)


def random_questions(rng: np.random.Generator, size: int, options: int | None = None) -> list[Asked]:
    """Return questions whose options are words of random letters, some of the same length."""
    made = []
    for _ in range(size):
        number_of = options or int(rng.integers(2, 7))
        words = ["".join(rng.choice(list("abcdef"), int(rng.integers(1, 6)))) for _ in range(number_of)]
        made.append({"options": words, "right": int(rng.integers(number_of))})
    return made


def _count_a(text: str) -> int:
    return text.count("a")


def _negative_length(text: str) -> int:
    return -len(text)


@exercise("16.3", "habit_gain")
def check_habits(exam: Examination, habit_gain: Any) -> None:
    """A habit that always tells, one that tells nothing, and random questions with ties."""

    def given(questions: list[Asked], score: Callable[[str], float]) -> float:
        return number(exam, exam.call(habit_gain, questions, score), "What it returns")

    told = random_questions(exam.rng, 12, 4)
    for question in told:
        question["options"][question["right"]] = "a much longer option"
    found = given(told, len)
    exam.expect("A habit that is always right gains everything that chance leaves", abs(found - 0.75) < 1e-9,
                f"{found:.3f} instead of 0.750, with four options")  # fmt: skip
    never = given(told, _negative_length)
    exam.expect(
        "A habit that always misleads has a negative gain", abs(never + 0.25) < 1e-9, f"{never:.3f} instead of -0.250"
    )
    same = given([{"options": ["ab", "cd", "ef"], "right": place} for place in (0, 0, 1)], len)
    exam.expect("If all options score the same, nothing is gained", abs(same) < 1e-9, f"{same:.3f}")
    for score, name in ((len, "length"), (_count_a, "number of a"), (_negative_length, "shortness")):
        for _ in range(8):
            questions = random_questions(exam.rng, int(exam.rng.integers(1, 15)))
            true, found = gain_of(questions, score), given(questions, score)
            exam.expect("It is right for random questions, with two to six options and ties", abs(found - true) < 1e-9,
                        f"{found:.4f} instead of {true:.4f}, by {name}, {len(questions)} questions")  # fmt: skip


# No cluster needed: order of milestones, gaps in claims, levels on a sheet, a note of two lines.


MISSING: dict[str, tuple[frozenset[str], str]] = {
    "A": (frozenset({"source", "date", "sample"}), "A share of people. Who asked them, when, and how many?"),
    "B": (frozenset({"source", "date", "baseline"}), "A factor. Of what, and who measured it when?"),
    "C": (frozenset(), "It states who counted, and when. It is neither a share of people nor a gain."),
    "D": (frozenset({"date"}), "The list is named. It is published twice a year."),
    "E": (frozenset({"source", "sample"}), "There is a year. Who asked, and how many?"),
    "F": (frozenset({"date"}), "It states who measured, and compared with what."),
}
SHOWN_WORDS = {"source", "date", "baseline", "sample"}
SPILL = 1.25
"""A device may be asked to hold this many times its memory, and to spill the rest."""
CHOICES = ("one device", "spill", "cluster")


@exercise("16.7", "order")
def check_milestones(exam: Examination, order: Any) -> None:
    """The events in the order of their years."""
    from ...study.ordering import check_order

    check_order(exam, "16.7", order)


@exercise("16.8", "missing")
def check_claims(exam: Examination, missing: Any) -> None:
    """For each claim exactly the words that are missing."""
    exam.require("`missing` is a dictionary", isinstance(missing, dict), describe(missing))
    without = [name for name in MISSING if missing.get(name) in (None, ...)]
    exam.require("Each claim is there", not without, f"without one: {', '.join(without)}")
    for name, (true, question) in MISSING.items():
        given = missing[name]
        words = given.replace(",", " ").split() if isinstance(given, str) else given
        exam.require("Each is a set of words", isinstance(words, (set, frozenset, list, tuple)),
                     f"{name}: {describe(given)}")  # fmt: skip
        said = {str(word).strip().lower() for word in words}
        exam.require(
            "Each is one of the four words", said <= SHOWN_WORDS, f"{name}: {', '.join(sorted(said - SHOWN_WORDS))}"
        )
        exam.expect(f"Claim {name}", said == true, "it is right" if said == true else question)


@exercise("16.9", "levels")
def check_levels(exam: Examination, levels: Any) -> None:
    """Each level alone, then random learners."""
    passed = {"state": "passed", "attempts": 2, "hints": 0, "solution_seen": False}
    cases: tuple[tuple[str, dict[str, Any] | None, str], ...] = (
        ("Passed without help is 'alone'", passed, "alone"),
        ("One hint makes it 'with hints'", {**passed, "hints": 1}, "with hints"),
        ("A solution that was read outweighs hints", {**passed, "hints": 3, "solution_seen": True}, LEVELS[1]),
        ("A failed exercise is 'not yet', even with the solution read",
         {**passed, "state": "failed", "solution_seen": True}, "not yet"),
        ("Many attempts are no help of others", {**passed, "attempts": 40}, "alone"),
        ("Topics without attempts are 'not yet'", None, "not yet"),
    )  # fmt: skip
    for what, record, true in cases:
        found = _said_of_style(exam, levels, {"add": ["91.1"]}, {"91.1": record} if record else {})
        exam.expect(what, found == {"add": true}, f"{found.get('add')!r}")
    found = _said_of_style(exam, levels, {"add": []}, {"91.1": passed})
    none = found == {"add": "not yet"}
    exam.expect("An objective without exercises is 'not yet': nothing shows it", none, f"{found}")
    for _ in range(25):
        exercises = {f"91.{n}": _random_record(exam.rng) for n in range(1, 8) if exam.rng.random() < 0.85}
        objectives = {
            f"objective {n}": [f"91.{one}" for one in exam.rng.integers(1, 8, int(exam.rng.integers(1, 4)))]
            for n in range(5)
        }
        found = _said_of_style(exam, levels, objectives, exercises)
        true_levels = {name: level_of([exercises.get(one) for one in ids]) for name, ids in objectives.items()}
        same = set(found) == set(true_levels)
        exam.expect("Every objective has a level", same, f"{len(found)} of {len(true_levels)}")
        for name, level in true_levels.items():
            said, size = found.get(name), len(objectives[name])
            exam.expect("An objective has the lowest level among its exercises", said == level,
                        f"{said!r} instead of {level!r}, with {size} exercises")  # fmt: skip


@exercise("16.10", "plan", "note")
def check_note(exam: Examination, plan: Any, note: Any) -> None:
    """The numbers fit each other, and the two lines say what was decided and how it will be seen."""
    exam.require("`plan` is a dictionary", isinstance(plan, dict), describe(plan))
    names = ("data_gb", "working_room", "device_gb", "devices", "travels_gb")
    empty = [name for name in (*names, "choice") if plan.get(name) in (None, ...)]
    exam.require("Each entry of `plan` is there", not empty, f"without one: {', '.join(empty)}")
    data, room, device, devices, travels = (number(exam, plan[name], f"`{name}`") for name in names)
    exam.require("All sizes are larger than 0", min(data, room, device, devices) > 0 <= travels, "one is not")
    exam.expect("Working room is a factor of at least 1", room >= 1, f"{room:g}")
    choice = str(plan["choice"]).strip().lower()
    exam.require("`choice` is one of the three", choice in CHOICES, f"{plan['choice']!r}")
    need = data * room
    fits = "one device" if need <= device else "spill" if need <= SPILL * device else "cluster"
    exam.expect("The choice follows from the sizes", choice == fits,
                f"{need:g} GB with working room, {device:g} GB on a device: {choice!r}")  # fmt: skip
    exam.expect("The number of devices is an integer", devices == int(devices), f"{devices:g}")
    if choice == "cluster":
        least = max(2, math.ceil(need / device - 1e-9))
        exam.expect("The devices together hold the data, with working room", devices >= least,
                    f"{devices:g} of {device:g} GB each, for {need:g} GB")  # fmt: skip
    else:
        exam.expect("The number of devices is 1 for this choice", devices == 1, f"{devices:g}")
    exam.expect("One step moves less than all the data", travels < data, f"{travels:g} of {data:g} GB")
    exam.require("`note` is text", isinstance(note, str), describe(note))
    lines = [line.strip() for line in note.strip().splitlines() if line.strip()]
    exam.require("The note has two lines", len(lines) == 2, f"{len(lines)}")
    longest = max(map(len, lines))
    exam.expect("A line has at most 120 characters", longest <= 120, f"{longest}")
    fewest = min(len(line.split()) for line in lines)
    exam.expect("A line has at least five words", fewest >= 5, f"{fewest}")
    exam.expect("The first line names the choice", choice in lines[0].lower(), f"{lines[0][:60]!r}")
    measured = bool(re.search(r"\d", lines[1]))
    exam.expect("The second line has a number to measure against", measured, f"{lines[1][:60]!r}")


def _random_record(rng: np.random.Generator) -> dict[str, Any]:
    state = str(rng.choice(["passed", "passed", "passed", "failed", "not_yet"]))
    hints, read = int(rng.integers(0, 4)), bool(rng.random() < 0.3)
    return {"state": state, "attempts": int(rng.integers(0, 6)), "hints": hints, "solution_seen": read}


def _said_of_style(exam: Examination, levels: Any, objectives: Any, exercises: Any) -> dict[str, str]:
    result = exam.call(levels, objectives, exercises)
    exam.require("It returns a dictionary", isinstance(result, dict), describe(result))
    unknown = [str(level) for level in result.values() if level not in LEVELS]
    exam.require("Each level is one of the four", not unknown, f"{unknown[:1]}")
    return {str(name): str(level) for name, level in result.items()}
