"""``gpucluster lessons grade`` from the shell."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from gpucluster.cli import main
from gpucluster.operating_system import seccomp

from .conftest import RIGHT, HandIn

pytestmark = pytest.mark.timeout(300)


def test_grades_are_written_as_a_table_and_a_page(hand_in: HandIn, here: Path, capsys: Any) -> None:
    hand_in("ana", "", {"06.2": RIGHT["06.2"], "06.3": "def partial(points, labels, centroids):\n    return 1, 2, 3"})
    (here / "class" / "bo").mkdir()
    (here / "class" / "bo" / "06-kmeans.ipynb").write_text("{", encoding="utf-8")
    (here / "class" / "cy").symlink_to(here / "class" / "bo")
    missing = "Not graded, as links are not followed: cy."
    code = main(["lessons", "grade", "class", "--out", "grades.csv", "--seed", "3", "--memory", "1 GiB", "--json"])
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, f"{missing}\n")
    data = json.loads(captured.out)
    assert (data["seed"], data["limits"]["memory_bytes"], data["notes"]) == (3, 2**30, [missing])
    states = {one["id"]: one["state"] for one in data["submissions"][0]["exercises"]}
    assert states == {"06.2": "passed", "06.3": "failed", "06.4": "not_yet"}
    ana, bo = csv.DictReader((here / "grades.csv").read_text(encoding="utf-8").splitlines())
    assert (ana["learner"], ana["points"], ana["of"], ana["06.2"], ana["06.3"]) == ("ana", "1", "3", "1", "0")
    assert (bo["learner"], bo["status"], bo["points"], bo["of"]) == ("bo", "unreadable", "0", "3")
    page = (here / "grades.html").read_text(encoding="utf-8")
    assert "ana, lesson 06: 1 of 3" in page
    assert f"<li>{missing}</li>" in page
    assert "expected" not in states
    # What is asked for is said before anything runs.
    assert main(["lessons", "grade", "class", "--lesson", "99"]) == 3
    assert main(["lessons", "grade", "nowhere"]) == 2


def test_each_notebook_is_told_as_soon_as_it_is_graded(
    hand_in: HandIn, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard output is no terminal here. The second notebook sees what was written about the first."""
    for learner in ("ana", "bo"):
        hand_in(learner).write_text("{", encoding="utf-8")
    (here / "class" / "cy").mkdir()
    (here / "class" / "cy" / "mine.ipynb").write_text("{", encoding="utf-8")
    seen: list[str] = []
    monkeypatch.setattr(
        "gpucluster.lessons.commands.grading._write", lambda path, text: seen.append(capsys.readouterr().out)
    )
    assert main(["lessons", "grade", "class", "--jobs", "1"]) == 0
    begun, *then = [text for text in seen if text]
    assert "\nSandbox: " in begun
    assert "Grading 1 of 3: ana, lesson 06\n" in begun
    told = [[line for line in text.splitlines() if line.startswith("  ")] for text in then]
    assert told == [["  ana, lesson 06: unreadable, 0 of 3"], ["  bo, lesson 06: unreadable, 0 of 3"]]
    unread, last = capsys.readouterr().out.splitlines()
    assert unread == "  cy, lesson unknown: unreadable, 0 of unknown"
    assert last.startswith("3 notebooks, 0 of 6 points. Not counted, because their lesson is unknown: 1. ")


def test_a_table_of_exercises_and_pages_for_learners_are_written_where_asked_for(
    hand_in: HandIn, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for learner in ("ana", "bo"):
        hand_in(learner).write_text("{", encoding="utf-8")
    (here / "mine.txt").write_text("mine", encoding="utf-8")
    (here / "back").mkdir()
    (here / "back" / "bo.html").symlink_to(here / "mine.txt")
    assert main(["lessons", "grade", "class", "--exercises", "exercises.csv", "--feedback", "back"]) == 0
    assert "exercises.csv and " in capsys.readouterr().out
    rows = list(csv.DictReader((here / "exercises.csv").read_text(encoding="utf-8").splitlines()))
    assert {(row["exercise"], row["of"], row["failed"]) for row in rows} == {(f"06.{n}", "2", "2") for n in (2, 3, 4)}
    assert sorted(path.name for path in (here / "back").iterdir()) == ["ana.html", "bo.html"]
    for learner, other in (("ana", ">bo<"), ("bo", "ana")):
        page = (here / "back" / f"{learner}.html").read_text(encoding="utf-8")
        assert f"<h1>{learner}</h1>" in page
        assert other not in page
    assert (here / "mine.txt").read_text(encoding="utf-8") == "mine", "a link is replaced, not followed"
    # What cannot be written is said before anything runs.
    for folder in ("class", "class/back", "mine.txt"):
        assert main(["lessons", "grade", "class", "--feedback", folder]) == 2
        assert "--feedback: " in capsys.readouterr().err
    assert not (here / "class" / "back").exists()
    assert main(["lessons", "grade", "class", "--exercises", "mine.txt/exercises.csv"]) == 2
    assert "mine.txt, the folder for the results, is not a folder" in capsys.readouterr().err


@pytest.mark.full
def test_a_second_run_loses_nobodys_page_and_no_change_of_the_table(hand_in: HandIn, here: Path, capsys: Any) -> None:
    def run(*options: str) -> str:
        assert main(["lessons", "grade", "class", "--feedback", "back", *options]) in {0, 1}
        return capsys.readouterr().err

    for learner in ("Zoë Müller", "a.b", "a-b", "李雷", "bo"):
        hand_in(learner).write_text("{", encoding="utf-8")
    assert run() == ""
    names = {"a-b.html": "a-b", "a.b.html": "a.b", "Zoë-Müller.html": "Zoë Müller", "李雷.html": "李雷"}
    for name, learner in names.items():
        assert f"<h1>{learner}</h1>" in (here / "back" / name).read_text(encoding="utf-8")
    shutil.rmtree(here / "class" / "bo")
    hand_in("Zoé Möller").write_text("{", encoding="utf-8")
    said = run()
    assert said == f"{here / 'back'} has pages of earlier runs for learners who are not in this one: bo.html.\n"
    for name, learner in {"a-b.html": "a-b", "Zoë-Müller.html": "Zoë Müller", "Zoé-Möller.html": "Zoé Möller"}.items():
        assert f"<h1>{learner}</h1>" in (here / "back" / name).read_text(encoding="utf-8")
    # Points edited by hand are not lost.
    table = here / "grades.csv"
    table.write_text(table.read_text(encoding="utf-8").replace('"0"', '"1"'), encoding="utf-8")
    for number in ("", "-2"):
        text = table.read_text(encoding="utf-8")
        assert (
            f"grades.csv has changed since this command wrote it: it is kept as {here}/grades.kept{number}.csv."
            in run()
        )
        assert (here / f"grades.kept{number}.csv").read_text(encoding="utf-8") == text
        table.write_text("mine", encoding="utf-8")
    assert "kept-3" in run("--again")
    assert "kept" not in run("--again")


def test_ctrl_c_says_what_stays_and_how_to_go_on(hand_in: HandIn, here: Path, capsys: Any, monkeypatch: Any) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    hand_in("ana").write_text("{", encoding="utf-8")
    monkeypatch.setattr("gpucluster.lessons.commands.grading._Lines.graded", interrupt)
    assert main(["lessons", "grade", "class", "--out", "new/er/grades.csv"]) == 130
    said = capsys.readouterr().err
    assert "Interrupted. What is graded stays in " in said
    assert said.endswith("new/er/grades.csv. The same command continues from there.\n")
    assert "ana" in (here / "new" / "er" / "grades.csv").read_text(encoding="utf-8")


WITHOUT_LANDLOCK = """
import errno, sys
import pyseccomp
taken = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
taken.add_rule(pyseccomp.ERRNO(errno.ENOSYS), 444)  # the same number on all architectures
taken.load()
from gpucluster.cli import main
sys.exit(main(["lessons", "grade", "class", "--seed", "1", *sys.argv[1:]]))
"""


@pytest.mark.skipif(not seccomp.can_filter(), reason="without libseccomp, Landlock cannot be taken away")
@pytest.mark.full
def test_where_nothing_holds_notebooks_back_grading_is_refused(
    hand_in: HandIn, tmp_path: Path, small_lesson: Path
) -> None:
    hand_in("ana")

    def run(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", WITHOUT_LANDLOCK, *options]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200)

    refused = run("--sandbox", "landlock")
    assert refused.returncode != 0
    assert "Missing: Landlock, which Linux has since 5.13" in refused.stderr
    assert "--unprotected" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "grades.csv").exists()
    graded = run("--sandbox", "landlock", "--unprotected", "--json")
    assert graded.returncode == 0, graded.stderr
    [ana] = json.loads(graded.stdout)["submissions"]
    assert (ana["points"], ana["protection"]["landlock"], ana["protection"]["system_calls"]) == (3, 0, True)
    assert "no Landlock, a seccomp filter" in (tmp_path / "grades.html").read_text(encoding="utf-8")


def test_results_go_where_no_file_can_stand(hand_in: HandIn, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_in("ana", "", {"06.2": "..."})
    (here / "class" / "ana" / "06-kmeans.ipynb").write_text("{", encoding="utf-8")
    pipe = here / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert main(["lessons", "grade", "class", "--out", "grades.csv", "--report", str(pipe)]) in {0, 1}
        assert b"<html" in os.read(reader, 2**16)
    finally:
        os.close(reader)
    assert pipe.is_fifo(), "it is not replaced by a plain file"
    assert "Traceback" not in capsys.readouterr().err
