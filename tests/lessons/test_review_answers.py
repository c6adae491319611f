"""Lesson 16: its rules are those of the kit; the certificate."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons import certificate
from gpucluster.lessons.course.lesson_16_review_studio import checks
from gpucluster.lessons.figures import review as figures
from gpucluster.lessons.figures.review import MILESTONES
from gpucluster.lessons.learner_progress import load, progress_file, record
from gpucluster.lessons.learner_progress.model import CardProgress, is_due, turned
from gpucluster.lessons.study.bank.files import problems_of
from gpucluster.lessons.study.certificate import FILE, level_of


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("box", [None, 1, 2, 3, 4])
def test_the_lessons_boxes_are_those_of_the_kit(box: int | None, known: bool) -> None:
    noon = datetime(2026, 3, 2, 12).astimezone()
    card = None if box is None else CardProgress(box=box, due_on=noon.date(), last_at=noon)
    kits = turned(card, known=known, at=noon)
    assert checks.turned(None if box is None else (box, 0), known, 0) == (kits.box, (kits.due_on - noon.date()).days)
    for days in range(12):
        today = noon.date() + timedelta(days=days)
        mine = (kits.box, (kits.due_on - noon.date()).days)
        assert bool(checks.due_of({"x": mine}, days)) == is_due(kits, today)


def test_the_picture_of_the_milestones_has_the_order_of_the_exercise() -> None:
    lines = problems_of("16")[0].lines
    assert [year for year, _ in MILESTONES] == sorted(year for year, _ in MILESTONES)
    names = ("perceptron", "backprop", "vector", "forests", "MapReduce", "CUDA", "AlexNet", "Dask", "RAPIDS")
    assert len(lines) == len(names) == len(MILESTONES)
    for name, line, (_, what) in zip(names, lines, MILESTONES, strict=True):
        assert name.lower() in line.text.lower()
        assert name.lower() in what.lower()


def _record(**fields: Any) -> dict[str, Any]:
    return {"state": "passed", "hints": 0, "solution_seen": False, **fields}


def test_the_lowest_exercise_decides() -> None:
    assert level_of([]) == "not yet"
    assert level_of([_record(), None]) == "not yet"
    assert level_of([_record(), _record()]) == "alone"
    assert level_of([_record(), _record(hints=2)]) == "with hints"
    assert level_of([_record(hints=2, solution_seen=True), _record(hints=2)]) == "after the solution"


def test_a_certificate_lists_what_was_shown_and_says_what_it_is_not(tmp_path: Path) -> None:
    assert "No exercise has passed yet" in repr(certificate("Ada", tmp_path))
    assert not (tmp_path / FILE).exists()
    for number in ("00.1", "00.2", "00.3", "00.4", "00.5"):
        record({"kind": "check", "exercise": number, "state": "passed"}, tmp_path)
    record({"kind": "hint", "exercise": "00.5", "number": 1}, tmp_path)
    record({"kind": "exam", "answers": {"03.q1": True, "03.q2": False}}, tmp_path)
    before = progress_file(tmp_path).read_bytes()
    said = repr(certificate("Ada <Byron>", tmp_path))
    assert progress_file(tmp_path).read_bytes() == before
    page = (tmp_path / FILE).read_text(encoding="utf-8")
    assert "Ada &lt;Byron&gt;" in page
    assert "<script" not in page
    assert "not supervised or signed" in page
    assert "not supervised or signed" in said
    assert "1; the best one 50% right" in page
    assert page.count("<tr><td>00 ") == 1, "the lesson is named once"
    assert page.count("<tr><td></td>") >= 1
    assert "<tr><td>01 " not in page
    assert "<td>with hints</td>" in page
    assert "<td>alone</td>" in page
    assert load(tmp_path).exercises["00.5"].hints == 1


def test_a_damaged_file_or_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    record({"kind": "check", "exercise": "00.1", "state": "passed"}, tmp_path)
    progress_file(tmp_path).write_text('{"schema_version": 1, "exer', encoding="utf-8")
    assert "gpucluster-progress.json" in repr(certificate("", tmp_path))
    assert progress_file(tmp_path).read_text(encoding="utf-8") == '{"schema_version": 1, "exer'


def test_a_card_that_is_due_at_once_for_ever_does_not_stop_the_picture() -> None:
    assert figures.turns_of([True], lambda card, known, day: (1, day), 29) == [(0, 1)]
    assert figures.turns_of([True], checks.turned, 29) == [(0, 2), (2, 3), (7, 4), (17, 4), (27, 4)]


def test_figures_say_what_they_show(capsys: pytest.CaptureFixture[str]) -> None:
    figures.guessing([6, 19, 28], lambda right: [1.0, 0.5, 0.25, 0.0][right], 2)
    figures.habits({"the longest": 0.021, "most code": -0.06}, 0.05)
    figures.card_days({"never known": [(0, 1), (1, 1)]}, 29)
    figures.points([("Pools", {"exercises": 4, "cards": 1})], 2)
    figures.milestones(MILESTONES)
    told = capsys.readouterr().out
    for words in ("53 guessers", "the longest +2.1%", "never known: 0, 1", "Pools 5 (exercises 4, cards 1)", "1958"):
        assert words in told
