"""The progress file: private, whole, never lost, never overwritten when it cannot be read."""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from gpucluster.lessons.learner_progress import (
    FILE_NAME,
    Progress,
    ProgressUnreadable,
    edit,
    forget,
    load,
    now,
    record,
    store,
)
from gpucluster.lessons.learner_progress.model import NEWEST_EXAMS, ExamProgress, PredictionProgress
from gpucluster.protocol.errors import InvalidRequest

EVENT = {"kind": "question", "id": "03.q1", "right": True}


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    assert load(tmp_path).questions == {}
    assert list(tmp_path.iterdir()) == [], "no file until something happens"
    record(EVENT, tmp_path)
    written = record(EVENT, tmp_path)
    assert load(tmp_path) == written
    assert load(tmp_path).questions["03.q1"].right == 2
    assert {path.name for path in tmp_path.iterdir()} == {FILE_NAME, f".{FILE_NAME}.lock"}


def test_only_its_owner_can_read_the_file(tmp_path: Path) -> None:
    record(EVENT, tmp_path)
    record(EVENT, tmp_path)
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o777 == 0o600


def test_an_error_inside_the_block_changes_nothing(tmp_path: Path) -> None:
    record(EVENT, tmp_path)
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(RuntimeError), edit(tmp_path) as progress:
        progress.learner = "half done"
        raise RuntimeError
    assert (tmp_path / FILE_NAME).read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        "", "{", "[]", "null", '"text"', "\0", '{"schema_version": 1, "questions": 3}',
        '{"schema_version": 1, "foreign": 1}',
    ],
)  # fmt: skip
def test_a_damaged_file_is_a_sentence_and_stays(tmp_path: Path, content: str) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(content)
    with pytest.raises(ProgressUnreadable, match="is corrupted and was not changed"):
        load(tmp_path)
    with pytest.raises(ProgressUnreadable, match="Restore a good copy, or move it away"):
        record(EVENT, tmp_path)
    assert path.read_text() == content


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProgressUnreadable, match="it is not UTF-8 text"):
        load(tmp_path)


def test_a_newer_file_is_a_sentence_and_stays(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text('{"schema_version": 2, "something": "new"}')
    with pytest.raises(ProgressUnreadable, match="written by a newer gpucluster"):
        record(EVENT, tmp_path)
    assert json.loads(path.read_text()) == {"schema_version": 2, "something": "new"}


def test_folders_where_no_file_can_be(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(ProgressUnreadable, match="cannot be read"):
        record(EVENT, tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ProgressUnreadable, match="cannot be written"):
        record(EVENT, tmp_path / "file" / "folder")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    (work / FILE_NAME).symlink_to(home / FILE_NAME)
    record(EVENT, work)
    record(EVENT, work)
    assert (work / FILE_NAME).is_symlink()
    assert load(home).questions["03.q1"].answered == 2


def test_writers_take_turns(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from gpucluster.lessons.learner_progress import record\n"
        "for _ in range(15): record({'kind': 'question', 'id': '03.q1', 'right': True}, Path(sys.argv[1]))"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path)]) for _ in range(3)]
    assert [one.wait(60) for one in running] == [0, 0, 0]
    assert load(tmp_path).questions["03.q1"].answered == 45


def test_a_writer_that_never_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(EVENT, tmp_path)
    monkeypatch.setattr(store, "_WAIT_S", 0.05)
    with (tmp_path / f".{FILE_NAME}.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(ProgressUnreadable, match="Another program holds"):
            record(EVENT, tmp_path)
    record(EVENT, tmp_path)


def test_a_folder_without_locks_is_good_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(store.fcntl, "flock", no_locks)
    record(EVENT, tmp_path)
    assert load(tmp_path).questions["03.q1"].answered == 1


def test_a_full_disk_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(EVENT, tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.os, "fsync", full)
    with pytest.raises(ProgressUnreadable, match="No space left on device"):
        record(EVENT, tmp_path)
    assert load(tmp_path).questions["03.q1"].answered == 1
    assert len(list(tmp_path.iterdir())) == 2


def test_forget_deletes_also_what_cannot_be_read(tmp_path: Path) -> None:
    assert not forget(tmp_path)
    (tmp_path / FILE_NAME).write_text("{")
    assert forget(tmp_path)
    assert not (tmp_path / FILE_NAME).exists()
    assert load(tmp_path).exercises == {}


def test_it_can_be_moved_to_another_machine(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    record(EVENT, here)
    there.mkdir()
    os.rename(here / FILE_NAME, there / FILE_NAME)
    assert Progress.model_validate_json((there / FILE_NAME).read_text()).questions["03.q1"].last_right
    assert record(EVENT, there).questions["03.q1"].answered == 2


def test_a_value_that_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    record(EVENT, tmp_path)
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(ProgressUnreadable, match="was not updated"), edit(tmp_path) as progress:
        progress.predictions["06.a"] = PredictionProgress.model_construct(predicted=2**64, observed=None, at="soon")
    with pytest.raises(ProgressUnreadable, match="was not updated"), edit(tmp_path) as progress:
        progress.predictions["06.a"] = PredictionProgress.model_construct(predicted=2**20000, observed=None, at=now())
    with pytest.raises(InvalidRequest):
        record({"kind": "prediction", "id": "06.a", "predicted": 2**20000}, tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert load(tmp_path).predictions == {}


def test_a_pipe_in_its_place_makes_nobody_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / FILE_NAME)
    with pytest.raises(ProgressUnreadable, match="it is not a plain file"):
        load(tmp_path)
    with pytest.raises(ProgressUnreadable, match="it is not a plain file"):
        record(EVENT, tmp_path)


def test_a_file_that_is_too_large_is_neither_read_nor_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record(EVENT, tmp_path)
    before = (tmp_path / FILE_NAME).read_bytes()
    monkeypatch.setattr(store, "LARGEST_FILE", len(before) + 10)
    with pytest.raises(ProgressUnreadable, match="would become larger"):
        record({**EVENT, "id": "03.q2"}, tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before
    (tmp_path / FILE_NAME).write_bytes(before + b" " * 20)
    with pytest.raises(ProgressUnreadable, match="it is larger than"):
        load(tmp_path)


def test_only_the_newest_exams_are_kept(tmp_path: Path) -> None:
    with edit(tmp_path) as progress:
        progress.exams = [ExamProgress(at=now(), right=0, total=1) for _ in range(NEWEST_EXAMS)]
    record({"kind": "exam", "answers": {"03.q1": True}}, tmp_path)
    exams = load(tmp_path).exams
    assert (len(exams), exams[-1].right) == (NEWEST_EXAMS, 1)
