"""What each event changes."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons import check, compare, hint, predict, solution
from gpucluster.lessons.learner_progress import FILE_NAME, Progress, load, note, record
from gpucluster.lessons.learner_progress.events import EVENT
from gpucluster.lessons.learner_progress.model import NEWEST_ATTEMPTS, now
from gpucluster.lessons.learner_progress.recording import apply
from gpucluster.protocol.errors import InvalidRequest


def after(*events: dict[str, Any]) -> Progress:
    progress = Progress()
    for event in events:
        apply(progress, EVENT.validate_python(event), now())
    return progress


def checked(state: str, failed: list[str] | None = None) -> dict[str, Any]:
    return {"kind": "check", "exercise": "06.2", "state": state, "failed": failed or []}


@pytest.mark.parametrize(
    ("checks", "state", "attempts", "last_failed"),
    [
        ([checked("not_yet")] * 2, "not_yet", 0, []),
        ([checked("failed", ["a", "b"]), checked("passed"), checked("failed", ["c"])], "passed", 3, ["c"]),
        ([checked("failed", ["a"]), checked("not_yet")], "failed", 1, ["a"]),
    ],
    ids=["an empty answer is no attempt", "passed stays passed", "an empty cell changes nothing"],
)
def test_checks_one_after_the_other(checks: Any, state: str, attempts: int, last_failed: list[str]) -> None:
    progress = after(*checks)
    entry = progress.exercises["06.2"]
    assert (entry.state, entry.attempts, entry.last_failed) == (state, attempts, last_failed)
    assert (entry.first_passed_at is not None) == (state == "passed")
    assert len(progress.attempts) == attempts


def test_every_attempt_is_kept_but_only_the_newest() -> None:
    progress = after(*[checked("failed", [str(number)]) for number in range(NEWEST_ATTEMPTS + 5)])
    assert len(progress.attempts) == NEWEST_ATTEMPTS
    assert progress.attempts[0].failed == ["5"]
    assert progress.exercises["06.2"].attempts == NEWEST_ATTEMPTS + 5
    assert Progress.model_validate_json(progress.model_dump_json()) == progress


def test_a_parsons_problem_of_the_widget_is_a_check() -> None:
    wrong = {"kind": "parsons", "exercise": "06.1", "right": False, "failed": ["too early"]}
    progress = after(wrong, {"kind": "parsons", "exercise": "06.1", "right": True})
    assert progress.exercises["06.1"].state == "passed"
    assert [attempt.state for attempt in progress.attempts] == ["failed", "passed"]


def test_hints_solution_and_predictions() -> None:
    hints = [{"kind": "hint", "exercise": "06.2", "number": number} for number in (1, 3, 2)]
    entry = after(*hints, {"kind": "solution", "exercise": "06.2"}).exercises["06.2"]
    assert (entry.hints, entry.solution_seen, entry.state) == (3, True, "not_yet")
    events = [{"kind": "prediction", "id": "06.a", **value} for value in ({"predicted": 100}, {"observed": 150.5})]
    prediction = after(*events).predictions["06.a"]
    assert (prediction.predicted, prediction.observed) == (100, 150.5)


@pytest.mark.parametrize("value", [True, 3, 2.5, "three"])
def test_a_prediction_keeps_its_type(value: Any) -> None:
    progress = after({"kind": "prediction", "id": "06.a", "predicted": value})
    kept = Progress.model_validate_json(progress.model_dump_json()).predictions["06.a"].predicted
    assert kept == value and type(kept) is type(value)


def test_questions_count_both_ways() -> None:
    answers = [{"kind": "question", "id": "03.q1", "right": right} for right in (True, True, False)]
    entry = after(*answers).questions["03.q1"]
    assert (entry.answered, entry.right, entry.last_right) == (3, 2, False)


def test_an_exam_counts_for_its_questions() -> None:
    progress = after({"kind": "exam", "answers": {"03.q1": True, "04.q2": False, "05.q3": True}})
    exam = progress.exams[0]
    assert (exam.right, exam.total, exam.wrong) == (2, 3, ["04.q2"])
    assert not progress.questions["04.q2"].last_right
    assert progress.questions["05.q3"].right == 1


def test_cards_move_through_the_boxes() -> None:
    progress, days = Progress(), []
    for known in (True, True, True, True, False, True):
        at = now()
        apply(progress, EVENT.validate_python({"kind": "card", "id": "03.c1", "known": known}), at)
        card = progress.cards["03.c1"]
        days.append((card.box, card.due_on - at.astimezone().date()))
    boxes = [(2, 2), (3, 5), (4, 10), (4, 10), (1, 1), (2, 2)]
    assert days == [(box, timedelta(days=wait)) for box, wait in boxes]
    assert progress.cards["03.c1"].seen == 6


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"kind": "nonsense"},
        {"kind": "check", "exercise": "06.2", "state": "unavailable"},
        {"kind": "hint", "exercise": "06.2", "number": 4},
        {"kind": "question", "id": "03.q1"},
        {"kind": "question", "id": "", "right": True},
        {"kind": "question", "id": "x" * 65, "right": True},
        {"kind": "card", "id": "03.c1", "known": True, "extra": 1},
        {"kind": "exam", "answers": {}},
        {"kind": "check", "exercise": "06.2", "state": "failed", "failed": ["x" * 401]},
        "question",
        None,
    ],
)
def test_an_event_that_does_not_exist_is_a_sentence(tmp_path: Path, event: Any) -> None:
    with pytest.raises(InvalidRequest) as caught:
        record(event, tmp_path)
    assert caught.value.message.endswith(".")
    assert list(tmp_path.iterdir()) == []


def test_a_lesson_notes_what_happens(own_progress: Path) -> None:
    check("06.2", lambda points, centroids: 0)
    hint("06.2")
    hint("06.2", 3)
    solution("06.2")
    predict("06.a", 5)
    compare("06.a", 7.5, "MB")
    noted = load(own_progress)
    entry = noted.exercises["06.2"]
    assert (entry.state, entry.attempts, entry.hints, entry.solution_seen) == ("failed", 1, 3, True)
    assert entry.last_failed == ["There is one label per point"]
    assert (noted.predictions["06.a"].predicted, noted.predictions["06.a"].observed) == (5, 7.5)


def test_looking_without_seeing_is_not_noted(own_progress: Path) -> None:
    check("06.99", 1)
    check("06.2")
    hint("06.99")
    solution("06.2")  # says that there are hints left
    predict("06.a", ...)
    assert not (own_progress / FILE_NAME).exists()


def test_what_goes_wrong_is_said_once_and_disturbs_nothing(own_progress: Path, capsys: Any) -> None:
    (own_progress / FILE_NAME).write_text("{")
    assert not check("06.2", ...).passed
    assert hint("06.2").text.startswith("**Hint 1")
    said = capsys.readouterr().out
    assert said.count("Not saved to your progress: ") == 1
    assert "is corrupted" in said
    assert (own_progress / FILE_NAME).read_text() == "{"


def test_a_surprise_disturbs_nothing_either(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("a surprise")

    monkeypatch.setattr("gpucluster.lessons.learner_progress.recording.edit", broken)
    note({"kind": "solution", "exercise": "06.2"})
    assert capsys.readouterr().out == "Not saved to your progress: ZeroDivisionError: a surprise\n"
