"""Where the progress file is, and which cards are due."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from gpucluster.lessons.learner_progress import FILE_NAME, FOLDER_VARIABLE, is_due, learner_folder, progress_file
from gpucluster.lessons.learner_progress.model import CardProgress, now


@pytest.fixture(autouse=True)
def no_variable(own_progress: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE)


def test_the_variable_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / FILE_NAME).write_text("{}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "other"))
    assert learner_folder() == tmp_path / "other"
    assert progress_file() == tmp_path / "other" / FILE_NAME


def test_then_the_nearest_folder_that_has_the_file(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "03-the-kitchen"
    deep.mkdir(parents=True)
    (tmp_path / FILE_NAME).write_text("{}")
    assert learner_folder(deep) == tmp_path
    (tmp_path / "a" / FILE_NAME).write_text("{}")
    assert learner_folder(deep) == tmp_path / "a"


def test_a_file_above_the_copies_of_the_lessons_is_not_theirs(tmp_path: Path) -> None:
    lesson = tmp_path / "gpucluster-lessons" / "03-the-kitchen"
    lesson.mkdir(parents=True)
    (tmp_path / FILE_NAME).write_text("{}")
    assert learner_folder(lesson) == tmp_path / "gpucluster-lessons"
    (lesson / FILE_NAME).write_text("{}")
    assert learner_folder(lesson) == lesson


@pytest.mark.parametrize(
    ("name", "parent"), [("03-the-kitchen", True), ("course", False), ("3-x", False), ("03", False)]
)
def test_then_the_parent_of_a_lesson(tmp_path: Path, name: str, parent: bool) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert learner_folder(folder) == (tmp_path if parent else folder)


def test_the_copies_below_come_before_the_folder_itself(tmp_path: Path) -> None:
    copies = tmp_path / "gpucluster-lessons"
    copies.symlink_to(tmp_path)
    assert learner_folder(tmp_path) == tmp_path, "it may lead to another user's"
    copies.unlink()
    copies.mkdir()
    assert learner_folder(tmp_path) == copies
    (tmp_path / FILE_NAME).write_text("{}")
    assert learner_folder(tmp_path) == tmp_path


def test_a_card_is_due_on_its_day_and_when_it_is_new() -> None:
    today = date(2026, 11, 21)
    card = CardProgress(box=2, due_on=today, seen=1, last_at=now())
    assert is_due(None, today)
    assert is_due(card, today)
    assert is_due(card, today + timedelta(days=3))
    assert not is_due(card, today - timedelta(days=1))


def test_what_others_may_have_put_there_does_not_count(tmp_path: Path) -> None:
    shared, own = tmp_path / "shared", tmp_path / "shared" / "own"
    own.mkdir(parents=True)
    (shared / FILE_NAME).write_text("{}")
    assert learner_folder(own) == shared
    shared.chmod(0o1777)
    assert learner_folder(own) == own
    assert learner_folder(shared) == shared
    (own / FILE_NAME).symlink_to(shared / FILE_NAME)
    deep = own / "deep"
    deep.mkdir()
    assert learner_folder(deep) == deep
