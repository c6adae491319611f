"""Resetting a lesson loses nothing."""

import json
import os
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from gpucluster.lessons.catalogue import find_lesson
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
