"""A learner who shares: what is written, when, and how it ends."""

import fcntl
import json
import stat
from pathlib import Path

import pytest
from gpucluster.lessons.classroom import read_class
from gpucluster.lessons.learner_progress import (
    FILE_NAME,
    ProgressUnreadable,
    edit,
    forget,
    load,
    note,
    record,
    share,
    store,
    withdraw,
)
from gpucluster.lessons.learner_progress.shared_file import CannotShare, StillShared, publish, shared_file
from gpucluster.protocol.errors import InvalidRequest


@pytest.fixture
def room(tmp_path: Path) -> Path:
    return made(tmp_path / "class")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return made(tmp_path / "me")


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def failed(exercise: str, *properties: str) -> dict[str, object]:
    return {"kind": "check", "exercise": exercise, "state": "failed", "failed": list(properties)}


def test_nothing_is_shared_unless_asked_for(room: Path, own: Path) -> None:
    record(failed("06.2", "one label per point"), own)
    assert publish(load(own)) is None
    assert list(room.iterdir()) == []
    assert withdraw(own) is False
    with pytest.raises(InvalidRequest, match="gpucluster lessons share FOLDER"):
        shared_file(load(own))


def test_the_file_follows_the_progress(room: Path, own: Path) -> None:
    record(failed("06.2", "one label per point"), own)
    path = share(room, "  Ana   Müller ", own)
    assert path.parent == room
    assert path.name.startswith("ana-muller-")
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    first = json.loads(path.read_text(encoding="utf-8"))
    assert first["name"] == "Ana Müller"
    assert first["exercises"]["06.2"]["state"] == "failed"
    record({"kind": "check", "exercise": "06.2", "state": "passed"}, own)
    record({"kind": "hint", "exercise": "06.3", "number": 2}, own)
    record({"kind": "question", "id": "06.q1", "right": True}, own)
    record({"kind": "prediction", "id": "06.a", "predicted": "a private guess"}, own)
    [after] = room.iterdir()
    text = after.read_text(encoding="utf-8")
    data = json.loads(text)
    assert {id: entry["state"] for id, entry in data["exercises"].items()} == {"06.2": "passed", "06.3": "not_yet"}
    assert (data["exercises"]["06.2"]["attempts"], data["exercises"]["06.3"]["hints"]) == (2, 2)
    assert (data["questions_answered"], data["questions_right"]) == (1, 1)
    assert "private" not in text
    assert "prediction" not in text


def test_another_name_replaces_the_file_and_leaving_removes_it(room: Path, own: Path) -> None:
    first = share(room, "Ana", own)
    second = share(room, "Bo", own)
    assert first != second
    assert list(room.iterdir()) == [second]
    assert withdraw(own) is True
    assert list(room.iterdir()) == []
    record(failed("06.2"), own)
    assert list(room.iterdir()) == []


def test_deleting_the_progress_removes_what_the_class_sees(room: Path, own: Path) -> None:
    share(room, "Ana", own)
    assert forget(own)
    assert list(room.iterdir()) == []


def test_two_learners_of_one_name_have_two_files(room: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        folder = made(tmp_path / str(number))
        path = folder / "gpucluster-progress.json"
        path.write_text(f'{{"schema_version": 1, "created_at": "2026-11-21T10:00:0{number}Z"}}', encoding="utf-8")
        share(room, "Ana", folder)
    assert len(read_class(room).learners) == 2


@pytest.mark.parametrize(
    "name", ["", "   ", "x" * 61, "a\x1b[2Jb", "a\u202eb", "\u3164", "\u0301\u0302", "Ann\u3164", "a/b"]
)
def test_a_name_that_cannot_be_shown_is_refused(name: str, room: Path, own: Path) -> None:
    with pytest.raises(InvalidRequest, match="1 to 60 characters"):
        share(room, name, own)
    assert list(room.iterdir()) == []


def test_a_folder_that_is_not_there_is_a_sentence(tmp_path: Path, own: Path) -> None:
    with pytest.raises(InvalidRequest, match="Folder .* not found"):
        share(tmp_path / "nowhere", "Ana", own)
    assert load(own).sharing.folder is None


def test_a_folder_that_has_gone_does_not_disturb_the_lesson(room: Path, own: Path) -> None:
    share(room, "Ana", own).unlink()
    room.rmdir()
    progress = record(failed("06.2", "one label per point"), own)
    assert progress.exercises["06.2"].attempts == 1
    assert "cannot be shared" in str(progress.not_shared)


def test_a_learner_is_told_once_that_sharing_fails(
    room: Path, own: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUCLUSTER_LESSONS_FOLDER", str(own))
    share(room, "Ana", own).unlink()
    room.rmdir()
    note(failed("06.2"))
    note(failed("06.2"))
    out = capsys.readouterr().out
    assert out.startswith("Saved, but not shared with your class: Your progress cannot be shared in ")
    assert out.count("\n") == 1


def test_what_a_class_cannot_show_is_left_at_home(room: Path, own: Path) -> None:
    for exercise in ("06.1\n", "٠٦.٢", "06.1"):
        record(failed(exercise), own)
    with edit(own) as progress:
        progress.exercises["06.1"].attempts = 2_000_000
        for number in range(600):
            progress.exercises[f"{number // 10:02}.{number % 10}"] = progress.exercises["06.1"]
    data = json.loads(share(room, "Ana", own).read_text(encoding="utf-8"))
    assert len(data["exercises"]) == 500
    assert all(len(id) == 4 and id.isascii() for id in data["exercises"])
    assert len(read_class(room).learners) == 1


def test_a_name_that_somebody_wrote_into_the_file_is_a_sentence(room: Path, own: Path) -> None:
    share(room, "Ana", own)
    with edit(own) as progress:
        progress.sharing.name = "\u3164"
    assert "cannot be shared" in str(progress.not_shared)


def test_what_is_shared_is_written_while_nobody_else_writes(
    room: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share(room, "Ana", own)
    seen: list[bool] = []

    def watched(_progress: object) -> None:
        with (own / f".{FILE_NAME}.lock").open() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                seen.append(True)

    monkeypatch.setattr(store, "publish", watched)
    record(failed("06.2"), own)
    assert seen == [True]


def test_what_cannot_be_written_is_not_promised(room: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gpucluster.registry.replacement.tempfile.mkstemp", full)
    with pytest.raises(CannotShare, match="No space left on device"):
        share(room, "Ana", own)
    monkeypatch.undo()
    assert load(own).sharing.folder is None


def test_who_stops_is_told_what_could_not_be_removed(room: Path, own: Path, tmp_path: Path) -> None:
    """A folder of that name stands for another user's file: it cannot be removed either."""
    for stop in (withdraw, forget):
        path = share(room, "Ana", own)
        path.unlink()
        path.mkdir()
        with pytest.raises(StillShared, match=f"Your file {path} could not be removed: Is a directory"):
            stop(own)
        assert load(own).sharing.folder is None
        path.rmdir()
    path = share(room, "Ana", own)
    path.unlink()
    path.mkdir()
    with pytest.raises(StillShared, match="You are now sharing as Bo. Your file"):
        share(room, "Bo", own)
    assert load(own).sharing.name == "Bo"
    assert shared_file(load(own)).is_file()


def test_nothing_is_shared_that_could_not_be_taken_back(room: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(store, "LARGEST_FILE", 10)
        with pytest.raises(ProgressUnreadable, match="would become larger"):
            share(room, "Ana", own)
        assert list(room.iterdir()) == []
    path = share(room, "Ana", own)
    with monkeypatch.context() as patch:
        patch.setattr(store, "_write", lambda *_: (_ for _ in ()).throw(ProgressUnreadable("the disk is full")))
        with pytest.raises(ProgressUnreadable, match="the disk is full"):
            share(room, "Ana", own)
    assert path.is_file(), "it was shared before"


def test_a_link_in_place_of_the_file_is_not_followed(room: Path, own: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    path = share(room, "Ana", own)
    path.unlink()
    path.symlink_to(victim)
    record(failed("06.2"), own)
    assert victim.read_text(encoding="utf-8") == "mine"
    assert not path.is_symlink()
