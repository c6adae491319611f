"""The class view, with honest learners and with hostile files."""

import json
import os
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from gpucluster.lessons import check, classroom
from gpucluster.lessons.catalogue import lessons
from gpucluster.lessons.classroom import LARGEST_FILE, MOST_FILES, _fair_share, read_class
from gpucluster.lessons.commands.tables import class_text, minutes_text
from gpucluster.lessons.learner_progress import FOLDER_VARIABLE, record, recording, share
from gpucluster.lessons.models import ClassLearner, ClassView
from gpucluster.protocol.errors import InvalidRequest


def exercise(state: str = "failed", **changes: Any) -> dict[str, Any]:
    entry = {"state": state, "attempts": 1, "hints": 0, "solution_seen": False, "last_at": "2026-11-21T10:00:00Z"}
    return {**entry, **changes}


def content(name: str = "Ana", **changes: Any) -> dict[str, Any]:
    return {
        "kind": "gpucluster-shared-progress", "schema_version": 1, "name": name,
        "updated_at": "2026-11-21T10:00:00Z", "exercises": {}, **changes,
    }  # fmt: skip


def put(folder: Path, data: dict[str, Any], name: str = "ana-1.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_who_is_where_and_what_fails_most(tmp_path: Path) -> None:
    room = tmp_path / "class"
    room.mkdir()
    for name, failing in (("Ana", "one label per point"), ("Bo", "one label per point"), ("Cy", "the nearest")):
        folder = tmp_path / name
        folder.mkdir()
        share(room, name, folder)
        record({"kind": "check", "exercise": "06.2", "state": "failed", "failed": [failing, "small memory"]}, folder)
    record({"kind": "solution", "exercise": "06.2"}, tmp_path / "Cy")
    record({"kind": "check", "exercise": "06.2", "state": "passed"}, tmp_path / "Ana")
    record({"kind": "hint", "exercise": "06.3", "number": 1}, tmp_path / "Ana")
    view = read_class(room)
    assert view.problems == []
    assert [(one.name, one.exercise, one.state, one.passed) for one in view.learners] == [
        ("Ana", "06.3", "not_yet", 1),
        ("Bo", "06.2", "failed", 0),
        ("Cy", "06.2", "failed", 0),
    ]
    assert view.learners[1].failing == "one label per point"
    first, second = view.exercises
    assert (first.id, first.title) == ("06.2", "Find the nearest centroid")
    assert (first.passed, first.stuck, first.attempts, first.solutions) == (1, 2, 4, 1)
    # Ana has passed, so what failed for her before does not count.
    assert [(one.property, one.learners) for one in first.failing] == [
        ("small memory", 2), ("one label per point", 1), ("the nearest", 1),
    ]  # fmt: skip
    assert (second.id, second.stuck, second.hints) == ("06.3", 0, 1)


def test_minutes_of_a_class_are_medians_beside_the_stated_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = tmp_path / "class"
    room.mkdir()
    began = datetime(2026, 11, 21, 10, tzinfo=UTC)
    for name, minutes in (("Ana", 8), ("Bo", 20), ("Cy", 12), ("Di", 200)):  # Di had a break.
        (folder := tmp_path / name).mkdir()
        share(room, name, folder)
        for exercise, at in (("06.1", 0), ("06.2", minutes), ("07.1", minutes + 5)):
            monkeypatch.setattr(recording, "now", lambda at=at: began + timedelta(minutes=at))
            record({"kind": "check", "exercise": exercise, "state": "passed"}, folder)
    times = {one.id: (one.minutes, one.timed, one.stated_minutes) for one in read_class(room).exercises}
    assert times["06.2"] == (12, 3, 10)
    assert times["06.1"][:2] == times["07.1"][:2] == (None, 0), "nothing of the lesson was passed before"
    head, row = minutes_text(read_class(room)).splitlines()
    assert head.split() == ["EXERCISE", "LEARNERS", "MINUTES", "STATED", "TITLE"]
    assert row.split()[:4] == ["06.2", "3", "12", "10"]


def test_the_table_of_a_class_has_totals_and_how_long_each_was_idle() -> None:
    learners = [
        ClassLearner(name=name, exercise="06.2", state="failed", passed=passed, updated_at=f"2026-11-{seen}:00+00:00")
        for name, passed, seen in (("Ana", 4, "21T10:10"), ("Bo", 6, "21T10:30"), ("Cy", 0, "18T10:30"))
    ]
    text = class_text(ClassView(folder="", read_at="2026-11-21T10:30:00Z", learners=learners, exercises=[]))
    total = sum(len(lesson.exercises) for lesson in lessons())
    rows = [line.split() for line in text.splitlines()]
    assert [row[1:4] for row in rows[1:4]] == [[str(n), "of", str(total)] for n in (4, 6, 0)]
    assert [line.rstrip().rpartition("  ")[2] for line in text.splitlines()[1:4]] == ["20 min", "now", "3 days"]
    assert f"3 learners, 10 of {3 * total} exercises passed." in text


def test_learners_of_one_name_are_told_apart(tmp_path: Path) -> None:
    put(tmp_path, content("Ana"), "ana-1.json")
    put(tmp_path, content("ana"), "ana-2.json")
    put(tmp_path, content("Bo"), "bo-1.json")
    assert [one.name for one in read_class(tmp_path).learners] == ["Ana (ana-1)", "ana (ana-2)", "Bo"]


def test_an_error_that_fails_most_has_its_name(tmp_path: Path) -> None:
    room, learner = tmp_path / "class", tmp_path / "ana"
    room.mkdir()
    learner.mkdir()
    share(room, "Ana", learner)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(learner))
        check("06.2", lambda points, centroids: nothing_of_that_name)  # noqa: F821
    [first] = read_class(room).exercises
    assert [one.property for one in first.failing] == ["It runs without an error: NameError"]


def test_an_empty_and_a_missing_folder(tmp_path: Path) -> None:
    assert (read_class(tmp_path).learners, read_class(tmp_path).exercises) == ([], [])
    with pytest.raises(InvalidRequest, match="cannot be read: No such file"):
        read_class(tmp_path / "nowhere")


BAD = {
    "other names": content() | {"secret": 1},
    "another kind": content() | {"kind": "x"},
    "a newer version": content() | {"schema_version": 2},
    "a control character": content("a\x1b[2Jb"),
    "a direction mark": content("a\u202eb"),
    "no name": content(""),
    **{f"a name that shows nothing: {name!a}": content(name) for name in ("\u3164", "\u0301\u0301", "Ana\u2800")},
    **{f"a path as a name: {name}": content(name) for name in ("../Ana", "a/b")},
    "numbers in another script": content(exercises={"٠٦.٢": exercise()}),
    "a line end in an id": content(exercises={"06.2\n": exercise()}),
    "a long name": content("x" * 61),
    "a negative count": content(exercises={"06.2": exercise(attempts=-1)}),
    "a huge count": content(exercises={"06.2": exercise(attempts=10**30)}),
    "an unknown state": content(exercises={"06.2": exercise("great")}),
    "a path as an exercise": content(exercises={"../../etc": exercise()}),
    "a time without a zone": content(updated_at="2026-11-21T10:00:00"),
    "too many exercises": content(exercises={f"{n:02}.{m}": exercise() for n in range(60) for m in range(10)}),
    "a long property": content(exercises={"06.2": exercise(failed=["x" * 401])}),
    "an escape in a property": content(exercises={"06.2": exercise(failed=["\x1b]0;x\x07"])}),
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_a_file_that_is_not_ours_is_named_and_left_out(data: dict[str, Any], tmp_path: Path) -> None:
    put(tmp_path, data)
    put(tmp_path, content("Bo"), "bo-1.json")
    view = read_class(tmp_path)
    assert [one.name for one in view.learners] == ["Bo"]
    assert view.problems == ["ana-1.json was skipped: it is not what 'gpucluster lessons share' writes."]


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{", "[" * 100_000, '{"a":' * 20_000, "9" * 100_000, "\0", "\ufeff{}"]
)
def test_broken_json_is_left_out(text: str, tmp_path: Path) -> None:
    (tmp_path / "ana-1.json").write_text(text, encoding="utf-8")
    assert len(read_class(tmp_path).problems) == 1
    (tmp_path / "ana-1.json").write_bytes(b"\xff\xfe" + text.encode())
    assert len(read_class(tmp_path).problems) == 1


def test_things_that_are_no_plain_files_are_left_out(tmp_path: Path) -> None:
    room = tmp_path / "class"
    room.mkdir()
    secret = put(tmp_path, content("Secret"), "secret.json")
    (room / "link-1.json").symlink_to(secret)
    (room / "loop-1.json").symlink_to(room / "loop-1.json")
    (room / "folder-1.json").mkdir()
    os.mkfifo(room / "pipe-1.json")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(room)
        try:
            listening.bind("socket-1.json")
        finally:
            os.chdir(here)
        large = content() | {"padding": "x" * LARGEST_FILE}
        put(room, large, "large-1.json")
        view = read_class(room)  # and does not wait for the pipe
    assert view.learners == []
    assert [problem.split(".json was skipped: ")[1] for problem in view.problems] == [
        "it is not a plain file.", f"it is larger than {LARGEST_FILE // 1024} KiB.", "it is a link.", "it is a link.",
        "it is not a plain file.", "No such device or address.",
    ]  # fmt: skip


def test_other_files_are_not_looked_at(tmp_path: Path) -> None:
    for name in (
        "README.md",
        ".hidden.json",
        "A B.json",
        "x\x1b[31m.json",
        "a.json.bak",
        "-x.json",
        "x.json\n",
        ".gpucluster-ab",
    ):
        put(tmp_path, content(), name)
    view = read_class(tmp_path)
    assert (view.learners, view.problems) == ([], [])


def test_a_flood_of_files_is_cut_off(tmp_path: Path) -> None:
    for number in range(MOST_FILES + 5):
        (tmp_path / f"x-{number}.json").write_text("{}", encoding="utf-8")
    view = read_class(tmp_path)
    assert view.problems[0] == "There are 1,005 files; only 1,000 were read, the newest of each owner."
    assert len(view.problems) == 21
    assert view.problems[-1] == "981 more files were skipped."


class Entry:
    """A file in a folder, as ``os.scandir`` gives it."""

    def __init__(self, name: str, owner: int, age: float) -> None:
        self.name = name
        self._found = os.stat_result((0o100644, 0, 0, 1, owner, 0, 0, 0, -age, 0))

    def stat(self, *, follow_symlinks: bool) -> os.stat_result:
        assert not follow_symlinks
        return self._found


def test_entries_that_are_not_looked_at_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classroom, "_MOST_NAMES", 5)
    for number in range(5):
        (tmp_path / f"{number}.txt").touch()
    assert read_class(tmp_path).problems == []
    (tmp_path / "more.txt").touch()
    assert read_class(tmp_path).problems == ["The folder has more than 5 entries; some learners may be missing."]


def test_nobody_pushes_others_out() -> None:
    flood: list[Any] = [Entry(f"a-{number:05}.json", 1, number) for number in range(3 * MOST_FILES)]
    others: list[Any] = [Entry(f"z-{number}.json", 2 + number, 9_999_999) for number in range(30)]
    chosen = _fair_share([*flood, *others])
    assert len(chosen) == MOST_FILES
    assert {other.name for other in others} < set(chosen)
    kept = sorted(name for name in chosen if name.startswith("a-"))
    assert kept[-1] == f"a-{MOST_FILES - 31:05}.json"  # the newest of them
    assert len(_fair_share(flood[:500])) == 500  # all learners of a hub may have one owner


def test_exercises_that_do_not_exist_are_not_shown(tmp_path: Path) -> None:
    put(tmp_path, content(exercises={"99.9": exercise(), "06.2": exercise()}))
    assert [one.id for one in read_class(tmp_path).exercises] == ["06.2"]
