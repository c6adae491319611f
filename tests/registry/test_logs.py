"""Files of JSON lines: who requested what, and what cells computed."""

import errno
import os
import stat

import pytest
from gpucluster.protocol.cells import CellTasks, CellWork
from gpucluster.protocol.telemetry import ActivityEntry
from gpucluster.registry import logs


def entry(message: str) -> ActivityEntry:
    return ActivityEntry(at="2026-11-21T08:00:00.000Z", kind="scale", by="any user", message=message)


def test_entries_are_read_back(tmp_path):
    path = tmp_path / "activity"
    assert logs.read_activity(path) == []
    written = [entry("one"), entry('a "quoted" line and ☃')]
    for each in written:
        logs.append_activity(path, each)
    assert logs.read_activity(path) == written
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_old_entries_are_dropped(tmp_path):
    path = tmp_path / "activity"
    for number in range(5 * logs.KEPT_ENTRIES):
        logs.append_activity(path, entry(f"{number}"))
    assert [each.message for each in logs.read_activity(path)] == [
        str(number) for number in range(4 * logs.KEPT_ENTRIES, 5 * logs.KEPT_ENTRIES)
    ]
    assert len(path.read_text().splitlines()) < 1.5 * logs.KEPT_ENTRIES
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_long_message_is_cut(tmp_path):
    path = tmp_path / "activity"
    logs.append_activity(path, entry("x" * 100_000))
    [read] = logs.read_activity(path)
    assert read.message.endswith("x…")
    assert len(read.message) == 500


def test_control_characters_are_escaped(tmp_path):
    path = tmp_path / "activity"
    logs.append_activity(path, entry("worker \x1b[31m\x00\n\x85\u2028\x9b"))
    assert [each.message for each in logs.read_activity(path)] == [r"worker \x1b[31m\x00\n\x85\u2028\x9b"]
    assert path.read_text().isascii()


def test_entry_after_truncated_one_is_kept(tmp_path):
    path = tmp_path / "activity"
    logs.append_activity(path, entry("before"))
    with path.open("ab") as file:
        file.write(entry("a name such as Jürgen").model_dump_json().encode().partition("ü".encode()[1:])[0])
    logs.append_activity(path, entry("after"))
    assert [each.message for each in logs.read_activity(path)] == ["before", "after"]
    # Also when the file is full and the oldest entries are dropped.
    for number in range(2 * logs.KEPT_ENTRIES):
        logs.append_activity(path, entry(f"{number}"))
    assert logs.read_activity(path)[-1].message == f"{2 * logs.KEPT_ENTRIES - 1}"


def test_partial_write_raises(tmp_path, monkeypatch):
    path = tmp_path / "activity"
    room = [30]
    original = os.write

    def write(descriptor: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken, room[0] = data[: room[0]], 0
        return original(descriptor, taken)

    monkeypatch.setattr(os, "write", write)
    with pytest.raises(OSError, match="No space left"):
        logs.append_activity(path, entry("cut"))
    monkeypatch.undo()
    logs.append_activity(path, entry("whole"))
    assert [each.message for each in logs.read_activity(path)] == ["whole"]


def test_a_broken_line_hides_no_other(tmp_path):
    path = tmp_path / "activity"
    logs.append_activity(path, entry("before"))
    with path.open("ab") as file:
        file.write(b'{"at": "2026\n\xff\xfe\n[]\n')
    logs.append_activity(path, entry("after"))
    assert [each.message for each in logs.read_activity(path)] == ["before", "after"]


def test_a_link_is_not_followed(tmp_path):
    target = tmp_path / "target"
    target.write_text("precious")
    path = tmp_path / "log"
    path.symlink_to(target)
    for append in (lambda: logs.append_activity(path, entry("x")), lambda: logs.append_cells(path, [work(1)])):
        with pytest.raises(OSError, match="symbolic link"):
            append()
    assert target.read_text() == "precious"
    assert logs.read_cells(path) == []


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (None, None),
        ("", None),
        ("   ", None),
        ("JupyterLab", "JupyterLab"),
        ("a\r\nSet-Cookie: b", "a??Set-Cookie: b"),
        ("\x1b[31mred", "?[31mred"),
        ("Zoë", "Zo?"),
        ("n" * 500, "n" * 80),
    ],
)
def test_requester_is_one_short_line(given, shown):
    assert logs.requester(given) == shown


def work(number: int, n_done: int = 0, **fields: object) -> CellWork:
    tasks = CellTasks(
        name="inc", n_tasks=5, n_done=n_done, n_waiting=5 - n_done, n_running=0, n_failed=0, n_cancelled=0,
        compute_seconds=1.5, transfer_seconds=0.25, result_bytes=80, shared=False,
    )  # fmt: skip
    began = f"2026-11-29T10:00:{number % 60:02}.000Z"
    return CellWork(
        id=f"run-{number}", number=number, client="c", by_time=False, began=began, groups=[tasks]
    ).model_copy(update=fields)


def test_the_last_line_of_a_cell_counts(tmp_path):
    path = tmp_path / "cells"
    logs.append_cells(path, [work(2), work(1)])
    logs.append_cells(path, [work(2, n_done=5, ended="2026-11-29T10:01:00.000Z")])
    first, second = logs.read_cells(path)
    assert first == work(1)
    assert second == work(2, n_done=5, ended="2026-11-29T10:01:00.000Z")
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_truncated_line_loses_only_its_change(tmp_path, cut):
    path = tmp_path / "cells"
    logs.append_cells(path, [work(1)])
    logs.append_cells(path, [work(1, n_done=5)])
    path.write_bytes(path.read_bytes()[:-cut])
    assert logs.read_cells(path) == [work(1) if cut > 1 else work(1, n_done=5)]
    logs.append_cells(path, [work(2)])
    assert [cell.number for cell in logs.read_cells(path)] == [1, 2]


def test_the_file_stays_small(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "_REWRITE_ABOVE_BYTES", 20_000)
    monkeypatch.setattr(logs, "KEPT_CELL_BYTES", 5_000)
    path = tmp_path / "cells"
    for number in range(200):
        logs.append_cells(path, [work(number % 60)])
        assert path.stat().st_size < 21_000
    assert logs.read_cells(path)[-1].number == 59
    assert path.stat().st_mode & 0o777 == 0o600
