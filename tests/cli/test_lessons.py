"""Lessons in the shell: copies, progress, sharing, and the checks of a learner's notebook."""

import json
import os
from collections.abc import Callable
from typing import Any

import nbformat
import pytest
from gpucluster.cli import main
from gpucluster.cli.commands import MAGIC, SHELL
from gpucluster.cli.completion import candidates
from gpucluster.cli.verbs import split_verb, verbs_of
from gpucluster.lessons.catalogue import find_lesson, lessons
from gpucluster.lessons.copies import write_copy
from gpucluster.lessons.learner_progress import record

Shell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def shell(tmp_path, monkeypatch, capsys) -> Shell:
    """Run ``gpucluster lessons …`` in an empty folder; return exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GPUCLUSTER_LESSONS_FOLDER", raising=False)

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["lessons", *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_help_of_the_group_and_its_verbs(shell, capsys):
    for words in ((), ("--help",)):
        code, out, _ = shell(*words)
        assert code == 0
        assert "lessons copy" in out
        assert "bench" not in out
    assert shell("copy", "--help")[1].startswith("usage: gpucluster lessons copy")
    assert main(["help", "lessons", "copy"]) == 0
    assert capsys.readouterr().out.startswith("usage: gpucluster lessons copy")
    code, _, err = shell("coppy")
    assert code == 2
    assert "Did you mean 'lessons copy'?" in err
    assert "See 'gpucluster help lessons copy'." in shell("copy", "--frob")[2]


def test_two_words_make_one_verb():
    assert split_verb(["lessons", "copy", "06"]) == ("lessons copy", ["06"])
    assert split_verb(["list", "lessons"]) == ("list", ["lessons"])
    assert not any(verb.startswith("lessons") for verb in verbs_of(MAGIC))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["less"], ["lessons"]), (["lessons", "c"], ["copy", "check", "class"]),
        (["help", "lessons", "sh"], ["share"]), (["lessons", "copy", "06", "06"], []),
        (["lessons", "copy", "--sol"], ["--solutions"]), (["lessons", "check", "06", "--cluster", "l"], ["lab"]),
        (["lessons", "frob", ""], []),
    ],
)  # fmt: skip
def test_completion(words, expected):
    assert candidates(words, SHELL, lambda _: ["lab", "other"]) == expected


def test_completion_offers_the_lessons():
    numbers = [lesson.id for lesson in lessons()]
    assert candidates(["lessons", "reset", ""], SHELL) == numbers
    assert candidates(["lessons", "copy", "06", ""], SHELL) == [number for number in numbers if number != "06"]


def test_list_shows_progress(shell, tmp_path):
    code, out, _ = shell("list")
    assert code == 0
    lesson = find_lesson("06")
    assert f"06      {lesson.minutes}" in out
    assert f"0 of {len(lesson.exercises)}" in out
    folder = tmp_path / "gpucluster-lessons"
    record({"kind": "check", "exercise": "06.2", "state": "passed"}, folder)
    listed = {one["id"]: one for one in json.loads(shell("list", "--json")[1])}
    assert listed["06"]["passed"] == 1
    assert listed["06"]["notebook"] is None
    shell("copy", "06")
    listed = {one["id"]: one for one in json.loads(shell("list", "--json")[1])}
    assert listed["06"]["notebook"] == str(folder / "06-kmeans" / "06-kmeans.ipynb")


def test_damaged_progress_file_still_lists_lessons(shell, tmp_path):
    (tmp_path / "gpucluster-lessons").mkdir()
    (tmp_path / "gpucluster-lessons" / "gpucluster-progress.json").write_text("{", encoding="utf-8")
    code, out, err = shell("list")
    assert (code, "06" in out) == (0, True)
    assert "is corrupted" in err  # also without a terminal
    assert json.loads(shell("list", "--json")[1])
    code, _, err = shell("progress")
    assert code == 1
    assert "is corrupted" in err


def test_copy_and_reset_keep_work(shell, tmp_path):
    code, out, _ = shell("copy", "06", "--solutions", "--recall")
    folder = tmp_path / "gpucluster-lessons" / "06-kmeans"
    names = {path.name for path in folder.iterdir()}
    assert names == {"06-kmeans.ipynb", "06-kmeans-solution.ipynb", "06-kmeans-recall.ipynb"}
    assert (code, out.count(".ipynb")) == (0, 3)
    work = folder / "06-kmeans.ipynb"
    work.write_text("my work", encoding="utf-8")
    assert shell("copy", "06")[1] == "Nothing to copy: everything is already there.\n"
    assert work.read_text(encoding="utf-8") == "my work"
    code, out, _ = shell("reset", "06")
    assert code == 0
    fresh = tmp_path / "fresh.ipynb"
    write_copy(find_lesson("06").notebook, fresh)
    assert work.read_bytes() == fresh.read_bytes()
    [backup] = (tmp_path / "gpucluster-lessons").glob("06-kmeans.backup-*")
    assert str(backup) in out
    assert (backup / "06-kmeans.ipynb").read_text(encoding="utf-8") == "my work"


def test_current_folder_is_used(shell, tmp_path, monkeypatch):
    shell("copy", "06")
    inside = tmp_path / "gpucluster-lessons"
    for place in (inside, inside / "06-kmeans"):
        monkeypatch.chdir(place)
        assert shell("copy", "06")[1] == "Nothing to copy: everything is already there.\n"
    elsewhere = tmp_path / "elsewhere"
    assert shell("copy", "06", "--folder", str(elsewhere))[0] == 0
    assert (elsewhere / "06-kmeans" / "06-kmeans.ipynb").is_file()


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("copy", "99"), 3, "Lesson '99' not found"),
        (("reset", "99"), 3, "Lesson '99' not found"),
        (("open", "99"), 3, "Lesson '99' not found"),
        (("open", "06", "--port", "0"), 2, "--port: must be between 1 and 65535"),
        (("check", "06"), 4, "Copy it first: gpucluster lessons copy 06"),
        (("check", "nothing.ipynb"), 2, "Notebook nothing.ipynb not found."),
        (("class", "nowhere"), 2, "cannot be read: No such file"),
        (("share", "nowhere"), 2, "nowhere not found"),
        (("open", "06.99"), 3, "Lesson 06 has no exercise 06.99."),
        (("open", "06#nowhere"), 3, "Lesson 06 has no cell nowhere."),
        (("check", "06.5"), 3, "Give the lesson: 06"),
        (("reset", "06.5"), 3, "Give the lesson: 06"),
        (("copy", "66"), 3, "Lesson '66' not found"),
        (("list", "--folder", __file__), 2, "test_lessons.py is not a folder."),
        (("progress", "--folder", __file__), 2, "test_lessons.py is not a folder."),
        (("progress", "--folder", "x" * 300), 2, "cannot be read: File name too long."),
        (("progress", "--folder", "/proc"), 4, "No progress can be kept in /proc: "),
        (("share", "--name", "Ann"), 2, "You are not sharing your progress. Also pass the folder"),
        (("share", "--stop", "--name", "Ann"), 2, "Pass --name or --stop, not both."),
        (("share", ".", "--name", "\u3164"), 2, "The name must have"),
        (("share", ".", "--name", ""), 2, "The name must have"),
        (("share", ".", "--stop"), 2, "Pass FOLDER or --stop, not both."),
        (("grade", "nowhere"), 2, "nowhere not found"),
        (("grade", ".", "--seconds", "1"), 2, "--seconds: must be between 10 and 7200"),
        (("grade", ".", "--memory", "1 MiB"), 2, "--memory: must be between 512 MiB"),
        (("grade", ".", "--memory", "much"), 2, "--memory: 'much' is not a memory size"),
        (("grade", ".", "--out", "/proc/no/grades.csv"), 2, "the folder for the results"),
        (("grade", ".", "--out", "."), 2, "is a directory; specify a file name."),
        (("grade", ".", "--out", "results/"), 2, "is a directory; specify a file name."),
        (("import", "x.json"), 2, "--lesson"),
        (("import", "x.json", "--lesson", "06", "--topic", "distances-in-memory"), 2, "x.json cannot be read"),
        (
            ("import", "x.json", "--lesson", "06", "--topic", "distances-in-memory", "--into", "new/"),
            2,
            "--into: new/ is a directory; specify a file name.",
        ),
    ],
)
def test_refusals(words, code, sentence, shell):
    got, out, err = shell(*words)
    assert (got, out) == (code, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_progress_is_shown_shared_and_deleted(shell, tmp_path):
    folder, room = tmp_path / "gpucluster-lessons", tmp_path / "class"
    room.mkdir()
    assert "No progress yet." in shell("progress")[1]
    assert shell("share")[1] == "You are not sharing your progress.\n"
    assert shell("share", "--stop")[1] == "You are not sharing.\n"
    record({"kind": "check", "exercise": "06.2", "state": "failed", "failed": ["One label per point"]}, folder)
    assert json.loads(shell("progress", "--json")[1])["exercises"]["06.2"]["attempts"] == 1
    assert shell("share", str(room), "--name", "Ana")[0] == 0
    assert "You are sharing as Ana" in shell("share")[1]
    assert "Shared as Ana" in shell("progress")[1]
    code, out, _ = shell("class", str(room))
    assert code == 0
    assert "Ana      0 of 154  06.2  not correct yet  now" in out
    assert "06.2 Find the nearest centroid: 1 of 1 who tried it are stuck" in out
    assert "1 × One label per point" in out
    assert json.loads(shell("class", str(room), "--json")[1])["learners"][0]["name"] == "Ana"
    assert shell("share", "--name", "Ben")[0] == 0
    assert "You are sharing as Ben" in shell("share")[1]
    assert [one["name"] for one in json.loads(shell("class", str(room), "--json")[1])["learners"]] == ["Ben"]
    code, out, err = shell("progress", "--delete")
    assert (code, out) == (2, "")
    assert "Add --yes" in err
    assert (folder / "gpucluster-progress.json").is_file()
    assert shell("progress", "--delete", "--yes")[1] == "Deleted.\n"
    assert list(room.iterdir()) == []
    assert shell("progress", "--delete", "--yes")[1] == "There is nothing to delete.\n"
    assert shell("class", str(room))[1] == "No shared progress in this folder yet.\n"


def test_open_starts_jupyterlab_on_the_lesson(shell, tmp_path, monkeypatch, capsys):
    class Replaced(Exception):
        """The process was replaced by JupyterLab."""

    commands: list[list[str]] = []

    def become(_path: str, command: list[str]) -> None:
        commands.append(command)
        raise Replaced

    monkeypatch.setattr(os, "execv", become)
    monkeypatch.setenv("JUPYTERLAB_WORKSPACES_DIR", str(tmp_path / "workspaces"))
    opened = "--LabApp.default_url=/lab/workspaces/gpucluster/tree/gpucluster-lessons/06-kmeans"
    with pytest.raises(Replaced):
        shell("open", "06.5", "--no-browser", "--port", "9999")
    assert "go to exercise 06.5 there" in capsys.readouterr().err
    [command] = commands
    assert f"{opened}/06-kmeans.ipynb" in command
    assert {f"--ServerApp.root_dir={tmp_path}", "--port=9999", "--no-browser"} < set(command)
    assert (tmp_path / "gpucluster-lessons" / "06-kmeans" / "06-kmeans.ipynb").is_file()
    assert ("--allow-root" in command) == (os.geteuid() == 0)
    with pytest.raises(Replaced):
        shell("open", "6", "--recall")
    assert f"{opened}/06-kmeans-recall.ipynb" in commands[1]


def book(*cells: str) -> Any:
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])


RIGHT = """
import numpy as np

def assign(points, centroids):
    return (-2 * points @ centroids.T + (centroids ** 2).sum(axis=1)).argmin(axis=1)
"""


@pytest.mark.processes
def test_check_runs_the_notebook_in_a_fresh_kernel(shell, tmp_path):
    path = tmp_path / "mine.ipynb"
    cells = ["from gpucluster.lessons import check", RIGHT, "check('06.2', assign)"]
    nbformat.write(book(*cells), path)
    code, out, _ = shell("check", str(path))
    assert (code, out) == (0, "06.2 Find the nearest centroid: passed\n")
    nbformat.write(book(*cells[:1], "1 / 0", "def assign(p, c):\n    return p[:, 0]\n", cells[2]), path)
    code, out, _ = shell("check", str(path))
    assert code == 1
    assert "06.2 Find the nearest centroid: not correct yet\n  expected: " in out
    assert out.endswith("A cell failed: ZeroDivisionError: division by zero\n")
    foreign = json.loads(nbformat.writes(book("x = 1")))
    foreign["cells"][0]["metadata"]["tags"] = None  # as some programs write it
    path.write_text(json.dumps(foreign), encoding="utf-8")
    assert shell("check", str(path))[:2] == (1, "No check was run in this notebook.\n")
    path.write_text("{", encoding="utf-8")
    assert "cannot be read as a notebook" in shell("check", str(path))[2]


@pytest.mark.processes
@pytest.mark.full
def test_check_stops_when_lesson_cannot_start(shell, tmp_path, monkeypatch):
    path = tmp_path / "mine.ipynb"
    start = "def start(): raise OSError('no\\nroom')\n"
    start += "lessons = type('L', (), {'start': staticmethod(lambda n: start())})\n"
    nbformat.write(book(start + "lab = lessons.start('06')", "lab.client", "open('ran', 'w')"), path)
    code, out, err = shell("check", str(path))
    assert (code, out) == (1, "")
    assert err.endswith("A cell of mine.ipynb failed: OSError: no room\n")
    monkeypatch.setattr("gpucluster.lessons.commands.actions._CELL_SECONDS", 1)
    nbformat.write(book("import time; time.sleep(60)"), path)
    code, out, err = shell("check", str(path))
    assert (code, out) == (1, "")
    assert "did not end: A cell timed out" in err
    assert "Traceback" not in err


def test_missing_cluster_starts_no_kernel(shell, tmp_path, monkeypatch):
    monkeypatch.setattr("gpucluster.lessons.execution.execute", lambda *_, **__: pytest.fail("a kernel was started"))
    nbformat.write(book("x = 1"), tmp_path / "mine.ipynb")
    code, out, err = shell("check", "mine.ipynb", "--cluster", "nosuch")
    assert (code, out) == (3, "")
    assert "nosuch" in err
    assert err.count("\n") == 1


def test_questions_of_jupyterquiz_are_taken_over(shell, tmp_path):
    wrong = [{"answer": name, "correct": False, "feedback": "No."} for name in ("a mean", "a label", "a point")]
    answers = [{"answer": "a sum", "correct": True, "feedback": "Yes."}, *wrong]
    quiz = [{"question": "What travels?", "type": "multiple_choice", "answers": answers}]
    (tmp_path / "other.json").write_text(json.dumps(quiz), encoding="utf-8")
    words = ("import", "other.json", "--lesson", "06", "--topic", "distances-in-memory")
    shown = json.loads(shell(*words)[1])
    assert shown["questions"][0]["id"] == "06.q1"
    assert shell(*words, "--into", "quiz.json")[1].startswith("1 question imported into")
    assert json.loads((tmp_path / "quiz.json").read_text(encoding="utf-8")) == shown
