"""The rule table of the study advisor."""

import json
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons import advise
from gpucluster.lessons.learner_progress import Progress, record
from gpucluster.lessons.learner_progress.events import EVENT
from gpucluster.lessons.learner_progress.model import now
from gpucluster.lessons.learner_progress.recording import apply
from gpucluster.lessons.results import LESSON_MIME
from gpucluster.lessons.study.advice import weak_topics
from gpucluster.lessons.study.advice_rules import Advice
from gpucluster.lessons.study.bank.topics import materials


def after(*events: dict[str, Any]) -> list[Advice]:
    progress = Progress()
    for event in events:
        apply(progress, EVENT.validate_python(event), now())
    return weak_topics(progress)


def failed(exercise: str) -> dict[str, Any]:
    return {"kind": "check", "exercise": exercise, "state": "failed", "failed": ["It is right"]}


def wrong(question: str) -> dict[str, Any]:
    return {"kind": "question", "id": question, "right": False}


def test_topics_gather_what_belongs_to_them(kit: Path) -> None:
    sums = materials()["sums"]
    assert (sums.title, sums.link) == ("Sums & counts", "91#sum")
    assert [exercise.id for exercise in sums.exercises] == ["91.1", "92.1"]
    assert {question.id for question in sums.questions} == {f"{n}.q{q}" for n in (91, 92) for q in (1, 2, 4, 6)}
    assert [card.id for card in sums.cards][-1] == "hook.2"


def test_nothing_done_is_nothing_weak(kit: Path) -> None:
    assert after() == []


def test_a_check_that_fails(kit: Path) -> None:
    (advice,) = after(failed("91.2"))
    assert advice == Advice(
        topic="loops", title="Loops", score=3, why="The check of “Step 2” does not pass yet.", link="91.2",
        exercise="91.2",
    )  # fmt: skip
    (advice,) = after(failed("91.2"), failed("91.2"), failed("91.2"))
    assert advice.score == 4
    assert advice.why.endswith("You have tried “Step 2” 3 times or more.")


def test_what_is_right_now_is_forgiven(kit: Path) -> None:
    assert after(failed("91.2"), {"kind": "check", "exercise": "91.2", "state": "passed"}) == []
    assert after(wrong("91.q1"), {"kind": "question", "id": "91.q1", "right": True}) == []
    turned = [{"kind": "card", "id": card, "known": known} for known in (False, True) for card in ("91.c1", "91.c2")]
    assert after(*turned) == []


def test_hints_and_solutions(kit: Path) -> None:
    hint = {"kind": "hint", "exercise": "91.2", "number": 3}
    assert after(hint) == []
    (advice,) = after(hint, failed("91.2"))
    assert advice.why == "The check of “Step 2” does not pass yet. You have seen all hints of “Step 2”."
    passed = {"kind": "check", "exercise": "91.2", "state": "passed"}
    (advice,) = after(hint, {"kind": "solution", "exercise": "91.2"}, passed)
    assert (advice.score, advice.why, advice.exercise) == (2, "You read the solution of “Step 2”.", "92.2")


def test_wrong_answers_lead_to_their_cell(kit: Path) -> None:
    (advice,) = after(wrong("92.q1"), wrong("92.q4"), wrong("91.q2"))
    assert advice.why == "Your last answer to 3 questions was wrong."
    assert (advice.topic, advice.score, advice.link) == ("sums", 6, "92#sum")
    assert advice.exercise == "91.1"
    assert len(advice.cards) == 2


def test_an_exam_reaches_the_advisor(kit: Path) -> None:
    (advice,) = after({"kind": "exam", "answers": {"91.q5": False, "92.q5": False, "91.q6": True}})
    assert (advice.topic, advice.score) == ("loops", 4)


def test_cards_that_were_not_known_come_first(kit: Path) -> None:
    assert after({"kind": "card", "id": "91.c3", "known": False}) == []
    (advice,) = after(*[{"kind": "card", "id": card, "known": False} for card in ("91.c3", "hook.2")])
    assert advice.cards == ("91.c3", "hook.2")
    assert advice.why == "You did not know 2 cards."
    known = {"kind": "card", "id": "91.c1", "known": True}
    (advice,) = after(known, {"kind": "card", "id": "91.c3", "known": False}, wrong("91.q1"))
    assert advice.cards == ("91.c3", "91.c2")


def test_the_weakest_topic_comes_first(kit: Path) -> None:
    found = after(wrong("91.q3"), failed("91.1"))
    assert [advice.topic for advice in found] == ["sums", "loops"]


def test_advice_as_an_output(kit: Path) -> None:
    record(wrong("91.q1"))
    made = advise()._repr_mimebundle_()
    json.dumps(made)
    assert made[LESSON_MIME] == {
        "kind": "advice",
        "schema_version": 1,
        "items": [
            {
                "topic": "sums",
                "title": "Sums & counts",
                "score": 2,
                "why": "Your last answer to 1 question was wrong.",
                "link": "91#sum",
                "cards": ["91.c1", "91.c2"],
                "exercise": "91.1",
                "exercise_title": "Step 1",
            }
        ],
    }
    assert "<strong>Sums &amp; counts</strong>" in made["text/html"]
    assert "<summary>A <strong>sum</strong>?</summary><p><code>+</code></p>" in made["text/html"]
    assert "Read again: lesson 91, cell sum. Then do exercise 91.1 Step 1." in made["text/plain"]
    record(failed("91.2"))
    assert "Loops: The check of “Step 2” does not pass yet. Go back to exercise 91.2 Step 2." in repr(advise())


def test_without_weak_topics_it_says_what_is_next(kit: Path) -> None:
    assert repr(advise()) == "No topic is weak so far. Next: exercise 91.1, Step 1, in lesson 91."
    for exercise in ("91.1", "91.2", "92.1", "92.2"):
        record({"kind": "check", "exercise": exercise, "state": "passed"})
    assert repr(advise()) == "No topic is weak, and all exercises are done. Take a practice exam: `lessons.exam()`."


@pytest.mark.parametrize("unknown", [failed("99.1"), wrong("99.q1"), {"kind": "card", "id": "99.c1", "known": False}])
def test_traces_of_lessons_that_are_gone_do_no_harm(kit: Path, unknown: dict[str, Any]) -> None:
    assert after(unknown) == []
