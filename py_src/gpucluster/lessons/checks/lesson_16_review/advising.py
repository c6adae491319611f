"""Lesson 16, no cluster needed: the table of the study advisor, applied to what a learner did."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from ...examination import Examination, describe
from ...learner_progress import Progress
from ...learner_progress.events import EVENT
from ...learner_progress.recording import apply
from ...study.advice_rules import RULES, WEAK
from ...study.bank.topics import Material
from .. import exercise

Event = dict[str, Any]
Topics = dict[str, list[str]]
AT = datetime(2026, 1, 1, tzinfo=UTC)


def progress_after(events: list[Event]) -> Progress:
    """Return the progress of somebody who did all this, and nothing before."""
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
    ("A check that failed gives 3", [_check("failed")], 3),
    ("Three failed checks give 4", [_check("failed")] * 3, 4),
    ("An exercise that has passed once stays passed", [_check("failed"), _check("passed"), _check("failed")], 0),
    ("A check of an empty answer counts for nothing", [_check("not_yet")] * 4, 0),
    ("A solution that was read gives 2, also where the exercise has passed", [_check("passed"), READ], 2),
    ("All three hints give 1 more where nothing has passed", [_check("failed"), *HINTS], 4),
    ("Two hints give nothing", [_check("failed"), *HINTS[:2]], 3),
    ("With the solution read, the hints do not count again", [_check("failed"), *HINTS, READ], 5),
    ("A wrong last answer gives 2", [{"kind": "question", "id": "90.q1", "right": False}], 2),
    ("Wrong once and right now gives nothing",
     [{"kind": "question", "id": "90.q1", "right": right} for right in (False, True)], 0),
    ("Answers of an exam count as those of a quiz",
     [{"kind": "question", "id": "90.q1", "right": True}, {"kind": "exam", "answers": {"90.q1": False}}], 2),
    ("Each card not known when last turned gives 1",
     [{"kind": "card", "id": f"90.c{n}", "known": False} for n in (1, 2)], 2),
    ("One point is not weak", [{"kind": "card", "id": "90.c1", "known": False}], 0),
)  # fmt: skip


@exercise("16.6", "weak_topics")
def check_advisor(exam: Examination, weak_topics: Any) -> None:
    """Each rule by itself, then 30 random learners, compared with the kit's own table."""
    for what, events, points in CASES:
        topics = {"pools": ["90.1", "90.q1", "90.q2", "90.c1", "90.c2"]}
        found = _pairs(exam, exam.call(weak_topics, [dict(event) for event in events], topics))
        exam.expect(what, found == ([("pools", points)] if points else []), f"{found}")
    for _ in range(30):
        topics = random_topics(exam.rng)
        events = random_events(exam.rng, topics, int(exam.rng.integers(5, 70)))
        found, true = _pairs(exam, exam.call(weak_topics, events, topics)), weak_of(events, topics)
        exam.expect("At most three topics are named", len(found) <= 3, f"{len(found)}")
        if sorted(found) == sorted(true):
            exam.expect(
                "Most points first; of equal ones, the order of `topics`", found == true, f"{found} instead of {true}"
            )
        exam.expect("For random learners it says what the table says", sorted(found) == sorted(true),
                    f"{found} instead of {true}, after {len(events)} events")  # fmt: skip


def _pairs(exam: Examination, result: Any) -> list[tuple[str, float]]:
    """Return what the learner's function gave as pairs of a name and points."""
    exam.require("It returns a list", isinstance(result, (list, tuple)), describe(result))
    pairs = all(isinstance(one, (list, tuple)) and len(one) == 2 for one in result)
    exam.require("Each entry is a pair: topic and points", pairs, describe(result))
    return [(str(name), points) for name, points in result]
