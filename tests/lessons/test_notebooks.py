"""Every lesson in real kernels: the learner's copy, the solution; no network, and nothing is left.

The solution of lesson 06 is what the demonstration runs, looked at in the same way: ``tests/test_demo.py``.
"""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gpucluster
import nbformat
import pytest
from gpucluster.lessons.catalogue import Lesson, lessons
from gpucluster.lessons.execution import LessonFailed, execute
from gpucluster.lessons.measuring import Measured, machine, main, measure, table_row, write_rows
from gpucluster.lessons.run import main as run_lesson

from tests.kernel import shown_text
from tests.lessons.closed_site import closed_site

SECONDS = 300
MEMORY = 1_500_000_000
LESSONS = [pytest.param(lesson, id=lesson.id) for lesson in lessons()]
SOLUTIONS = [
    pytest.param(lesson, id=lesson.id, marks=() if lesson.id == "00" else pytest.mark.full)
    for lesson in lessons()
    if lesson.id != "06"
]


@pytest.fixture
def site(registry: Path) -> Iterator[Path]:
    """A machine without a network, and a private registry."""
    with closed_site() as folder:
        yield folder
        alive = [model.name for model in gpucluster.list() if not model.state.ended]
        for name in alive:  # so that one lesson's fault does not show in the next
            gpucluster.connect(name).stop()
        assert alive == []


@pytest.mark.timeout(2 * SECONDS)
@pytest.mark.full
@pytest.mark.parametrize("lesson", LESSONS)
def test_the_learners_copy_runs_with_every_exercise_empty(lesson: Lesson, site: Path, tmp_path: Path) -> None:
    # Right answers alone: test_answers.py. All solutions together: below.
    path = tmp_path / lesson.notebook.name
    shutil.copy(lesson.notebook, path)
    run = execute(path)
    states = [(check["exercise"], check["state"]) for check in run.of_kind("check")]
    assert states == [(exercise.id, "not_yet") for exercise in lesson.exercises]
    assert {prediction["predicted"] for prediction in run.of_kind("prediction")} <= {None}
    outputs = [output for cell in run.notebook.cells for output in cell.get("outputs", ())]
    assert [output for output in outputs if output["output_type"] == "error"] == []


@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.parametrize("lesson", SOLUTIONS)
def test_the_solution_passes_within_time_and_memory(lesson: Lesson, site: Path) -> None:
    measured = measure(lesson.solution_notebook)
    assert measured.states == dict.fromkeys([exercise.id for exercise in lesson.exercises], "passed")
    assert measured.seconds < SECONDS
    assert 0 < measured.peak_bytes < MEMORY
    predictions = measured.run.of_kind("prediction")
    assert all(prediction["predicted"] is not None for prediction in predictions)
    assert "a lesson must work without a network" not in shown_text(measured.run.notebook)


def test_the_guard_lets_nothing_out(site: Path, tmp_path: Path) -> None:
    cells = [
        "import socket\nsocket.create_connection(('192.0.2.1', 80), 1)",
        "import urllib.request\nurllib.request.urlopen('http://example.org')",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
        "with socket.create_server(('127.0.0.1', 0)) as s:\n    socket.create_connection(s.getsockname()).close()",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbformat.write(book, tmp_path / "calls.ipynb")
    began: list[tuple[int, str]] = []
    errors = execute(tmp_path / "calls.ipynb", keep_going=True, began=lambda *cell: began.append(cell)).errors
    assert [number for number, _ in began] == [0, 1, 2, 3]
    assert began[1][1] == "import urllib.request"
    assert len(errors) == 3
    assert all("must work without a network" in error for error in errors)


def test_a_cell_that_fails_is_one_sentence(tmp_path: Path) -> None:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")])
    path = tmp_path / "broken.ipynb"
    nbformat.write(book, path)
    with pytest.raises(LessonFailed, match=r"^A cell of broken.ipynb failed: ZeroDivisionError: division by zero$"):
        execute(path)
    book.cells[0].source = "import time; time.sleep(60)"
    nbformat.write(book, path)
    with pytest.raises(LessonFailed, match=r"did not end"):
        execute(path, cell_timeout=2)


def test_the_command_refuses_with_a_sentence(capsys: pytest.CaptureFixture[str], registry: Path) -> None:
    assert run_lesson(["77"]) == 2
    assert "Lesson 77 not found. Lessons: " in capsys.readouterr().err
    assert run_lesson(["06", "--cluster", "absent"]) != 0
    assert "absent" in capsys.readouterr().err


def test_figures_go_into_the_table_of_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- measured: begin -->\n| 99 | old |\n<!-- measured: end -->\nafter\n", encoding="utf-8")
    first, last = lessons()[0], lessons()[-1]
    run: Any = type("Run", (), {"of_kind": lambda self, kind: [{"exercise": "1", "state": "passed"}]})()
    row = table_row(last, Measured(run, 61.4, 812_345_678))
    link = f"[{last.title}](../../notebooks/{last.slug}/{last.slug}.ipynb)"
    assert f"| {last.id} | {link} | {last.minutes} | 1 of {len(last.exercises)} " in row
    assert "| 61 | 812 |" in row
    write_rows(page, {last.id: row})
    write_rows(page, {first.id: f"| {first.id} | x |"})
    lines = page.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "before" and lines[-1] == "after"
    assert [line[2:4] for line in lines if line.startswith(f"| {first.id}") or line == row] == [first.id, last.id]
    assert "old" not in "".join(lines)  # there is no lesson 99
    assert main(["77", "--page", str(page)]) == 2
    assert "There is no such lesson." in capsys.readouterr().err
    assert "CPU cores" in machine()


def test_the_published_table_has_every_lesson_within_its_limits() -> None:
    page = (Path(__file__).parents[2] / "docs" / "lessons" / "README.md").read_text(encoding="utf-8")
    rows = {}
    for line in page.splitlines():
        if re.match(r"\| \d\d \|", line):
            number, *_, checks, seconds, memory, _ = (part.strip() for part in line.strip("| ").split("|"))
            rows[number] = (checks, int(seconds), int(memory.replace(",", "")))
    assert list(rows) == [lesson.id for lesson in lessons()]
    for lesson in lessons():
        checks, seconds, megabytes = rows[lesson.id]
        assert checks == str(len(lesson.exercises)), f"measure lesson {lesson.id} again"
        assert 0 < seconds <= 120
        assert 0 < megabytes < 1500
