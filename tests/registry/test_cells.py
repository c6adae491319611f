"""The file of cells: the last line of a cell is valid, and it stays small."""

from __future__ import annotations

import pytest
from gpucluster.protocol.cells import CellTasks, CellWork
from gpucluster.registry import logs


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
def test_a_line_that_was_cut_off_loses_that_change_only(tmp_path, cut):
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


def test_a_link_in_its_place_is_not_followed(tmp_path):
    target = tmp_path / "target"
    target.touch()
    (tmp_path / "cells").symlink_to(target)
    with pytest.raises(OSError):
        logs.append_cells(tmp_path / "cells", [work(1)])
    assert target.read_bytes() == b""
    assert logs.read_cells(tmp_path / "cells") == []
