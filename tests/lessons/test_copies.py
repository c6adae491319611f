"""Copies of lessons lose nothing; notebooks import what lies in a lesson's folder by a short name."""

from __future__ import annotations

import ast
import importlib
import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import cloudpickle
import nbformat
import pytest
from gpucluster.lessons.catalogue import COURSE, find_lesson
from gpucluster.lessons.copies import LessonFolderError, LessonNotFound, copy_lessons, copy_recall, reset_lesson

SLUG = "06-kmeans"


def noon() -> datetime:
    return datetime(2026, 11, 21, 12, 0, 0)


def lesson_in(notebook: Path) -> object:
    """Return everything but what depends on this Python."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    del content["metadata"]["language_info"]
    return content


def test_a_copy_holds_already_what_jupyterlab_would_write_into_it(tmp_path):
    from ipykernel.ipkernel import IPythonKernel

    (path,) = copy_lessons(tmp_path, only=["00"])
    assert json.loads(path.read_text())["metadata"]["language_info"] == IPythonKernel.language_info
    # As nbformat writes it: saving an unchanged copy changes no byte.
    assert nbformat.writes(nbformat.read(path, nbformat.NO_CONVERT)) + "\n" == path.read_text(encoding="utf-8")


def test_reset_keeps_everything_that_was_there(tmp_path):
    copy_lessons(tmp_path)
    mine = tmp_path / SLUG / f"{SLUG}.ipynb"
    mine.write_text("my work")
    (tmp_path / SLUG / "notes.txt").write_text("my notes")
    written = reset_lesson(tmp_path, "06", noon)
    assert written.backup == tmp_path / f"{SLUG}.backup-20261121-120000"
    assert (written.backup / mine.name).read_text() == "my work"
    assert (written.backup / "notes.txt").read_text() == "my notes"
    assert written.notebook == mine
    assert lesson_in(mine) == lesson_in(find_lesson("06").notebook)


def test_nothing_moves_when_the_fresh_copy_cannot_be_made(tmp_path, monkeypatch):
    copy_lessons(tmp_path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gpucluster.lessons.copies.write_copy", full)
    with pytest.raises(LessonFolderError, match="No space left"):
        reset_lesson(tmp_path, "06", noon)
    assert (tmp_path / SLUG / f"{SLUG}.ipynb").is_file()
    assert [path.name for path in tmp_path.iterdir() if SLUG in path.name] == [SLUG]


def test_a_folder_that_is_made_again_meanwhile_is_used(tmp_path, monkeypatch):
    copy_lessons(tmp_path)
    rename = Path.rename

    def jupyter_is_there_too(self, target):
        done = rename(self, target)
        if "backup" in str(target):
            (self / ".ipynb_checkpoints").mkdir(parents=True)
        return done

    monkeypatch.setattr(Path, "rename", jupyter_is_there_too)
    written = reset_lesson(tmp_path, "06", noon)
    assert lesson_in(written.notebook) == lesson_in(find_lesson("06").notebook)
    assert not list(tmp_path.glob(".*"))


def test_two_resets_in_one_second_make_two_backups(tmp_path):
    copy_lessons(tmp_path)
    first = reset_lesson(tmp_path, "06", noon).backup
    second = reset_lesson(tmp_path, SLUG, noon).backup
    assert first != second
    assert first.is_dir()
    assert second.is_dir()


def test_reset_of_a_lesson_that_was_never_copied_only_copies(tmp_path):
    written = reset_lesson(tmp_path / "new", "06")
    assert written.backup is None
    assert written.notebook.is_file()


@pytest.mark.parametrize("lesson", ["99", "", "..", "../06-kmeans", "/etc", "06-kmeans/../../x", "06\x00"])
def test_a_wrong_name_touches_nothing(tmp_path, lesson):
    with pytest.raises(LessonNotFound):
        reset_lesson(tmp_path, lesson)
    with pytest.raises(LessonNotFound):
        copy_recall(tmp_path, lesson)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_used_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LessonFolderError, match="cannot be copied to .*file: Not a directory"):
        reset_lesson(tmp_path / "file", "06")


def test_the_recall_copy_is_given_once(tmp_path):
    lesson = find_lesson("06")
    if not lesson.recall_notebook.is_file():
        with pytest.raises(LessonNotFound, match="no recall copy"):
            copy_recall(tmp_path, "06")
        return
    first = copy_recall(tmp_path, "06").notebook
    assert lesson_in(first) == lesson_in(lesson.recall_notebook)
    first.write_text("my work")
    assert copy_recall(tmp_path, "06").notebook.read_text() == "my work"
    assert os.access(first, os.W_OK)


SOURCES = sorted([*COURSE.glob("*/lesson.py"), *COURSE.glob("*/answers/*.py")])
UNUSED = """
import inspect, sys, warnings
from gpucluster.lessons.figures import kmeans
from gpucluster.lessons.probes import batchsystem
inspect.getmodule(inspect.currentframe())
warnings.catch_warnings(record=True).__enter__()
print([name for name in sys.modules if ".course." in name or name == "matplotlib"])
from gpucluster.lessons.probes.batchsystem import BatchSystem
print(BatchSystem.__module__)
"""


def imports(path: Path) -> set[tuple[str, str]]:
    """Return what a lesson or an answer imports from the lessons' packages, by module."""
    lines = path.read_text(encoding="utf-8").splitlines()
    tree = ast.parse("\n".join("" if line.startswith("%") else line for line in lines))
    return {
        (node.module, name.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("gpucluster.lessons")
        for name in node.names
    }


def test_whatever_lessons_and_answers_import_is_there() -> None:
    wanted = set().union(*map(imports, SOURCES))
    assert len(wanted) > 100
    for module, name in sorted(wanted):
        if not hasattr(importlib.import_module(module), name):
            importlib.import_module(f"{module}.{name}")


def test_a_short_name_imports_nothing_until_it_is_used() -> None:
    done = subprocess.run([sys.executable, "-c", UNUSED], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\ngpucluster.lessons.course.lesson_14_onto_the_machine.probes\n"


def test_a_short_name_travels_to_workers() -> None:
    from gpucluster.lessons.figures import kmeans

    assert cloudpickle.loads(cloudpickle.dumps(kmeans)) is kmeans
    with pytest.raises(AttributeError):
        kmeans.no_such_figure  # noqa: B018
