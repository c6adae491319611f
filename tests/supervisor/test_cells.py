"""What cells compute is written down as it happens, with the cluster's memory and traffic meanwhile."""

import time
from typing import Any

from gpucluster.protocol.models import Cost
from gpucluster.registry import logs
from gpucluster.supervisor.figures.cells import CellLog

COLUMNS = {"workers": ("0", "1"), "memory_bytes": (100, 200), "received_bytes": (10, 20), "tier_disk_bytes": (0, 0)}
TASKS = {
    "name": "inc", "n_tasks": 4, "n_done": 1, "n_waiting": 2, "n_running": 1, "n_failed": 0, "n_cancelled": 0,
    "compute_seconds": 0.5, "transfer_seconds": 0.0, "result_bytes": 8, "shared": False,
}  # fmt: skip


def told(**fields: Any) -> dict[str, Any]:
    return {"id": "run-1", "number": 1, "client": "c", "by_time": False, "began": time.time(), "ended": None} | {
        "groups": [TASKS], **fields
    }  # fmt: skip


def test_cell_keeps_peaks_and_traffic(tmp_path):
    log = CellLog(tmp_path / "cells")
    first = told()
    log.add([first], COLUMNS)
    log.add([first], COLUMNS | {"memory_bytes": (500, 200), "received_bytes": (15, 120), "tier_disk_bytes": (0, 64)})
    log.add([first | {"ended": first["began"] + 2}], COLUMNS | {"received_bytes": (15, 120)})
    [cell] = logs.read_cells(tmp_path / "cells")
    assert (cell.memory_peak_bytes, cell.spilled_peak_bytes, cell.moved_bytes) == (700, 64, 105)
    assert cell.n_workers == 2
    assert cell.vram_peak_bytes is None
    # Workers report the memory of the last results late.
    log.add([first | {"ended": first["began"] + 2}], COLUMNS | {"memory_bytes": (9000, 0)})
    later = told(id="run-2", began=first["began"] + 3)
    log.add([first | {"ended": first["began"] + 2}, later], COLUMNS | {"memory_bytes": (99_000, 0)})
    assert [cell.memory_peak_bytes for cell in logs.read_cells(tmp_path / "cells")] == [9000, 99_000]


def test_nothing_is_written_while_nothing_changes(tmp_path):
    log = CellLog(tmp_path / "cells")
    same = told()
    log.add([same], COLUMNS)
    size = (tmp_path / "cells").stat().st_size
    log.add([same], COLUMNS)
    assert (tmp_path / "cells").stat().st_size == size


def test_the_end_of_the_cluster_ends_what_computes(tmp_path):
    log = CellLog(tmp_path / "cells")
    done = told()
    log.add([done | {"ended": done["began"] + 1}, told(id="run-2")], COLUMNS)
    log.end()
    assert {cell.id: cell.lost for cell in logs.read_cells(tmp_path / "cells")} == {"run-1": False, "run-2": True}


def test_what_cannot_be_written_is_written_later(tmp_path, caplog):
    folder = tmp_path / "folder"
    log = CellLog(folder / "cells")
    same = told()
    for _ in range(2):
        log.add([same], COLUMNS)
    assert len(caplog.records) == 1
    folder.mkdir()
    log.add([same], COLUMNS)
    assert [cell.id for cell in logs.read_cells(folder / "cells")] == ["run-1"]


def test_cells_at_the_same_time_share_the_cost(tmp_path, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr("gpucluster.supervisor.figures.cells.time.time", lambda: clock[0])
    cost = Cost(unit="credits", amount=0.0, per_hour=3600.0, at="2026-12-01T10:00:00.000Z")
    log = CellLog(tmp_path / "cells", cost=lambda: cost)
    first, second = told(began=990.0), told(id="run-2", began=1005.0)
    log.add([first], COLUMNS)  # 10 s alone.
    clock[0] = 1005
    log.add([first], COLUMNS)  # 5 s alone.
    clock[0] = 1015
    log.add([first, second], COLUMNS)  # 5 s each.
    clock[0] = 1020
    first["ended"], second["ended"] = 1012.0, 1018.0  # Noticed late: 3 s less, and 3 s more.
    for _ in range(2):
        log.add([first, second], COLUMNS)
    cells = {cell.id: (cell.cost, cell.cost_unit) for cell in logs.read_cells(tmp_path / "cells")}
    assert cells == {"run-1": (17.0, "credits"), "run-2": (8.0, "credits")}
    clock[0] = 1021
    log.add([told(id="run-3", began=1019.5, ended=1019.8), told(id="run-4", began=1020.0)], COLUMNS)
    log.end()
    late = {cell.id: (cell.cost, cell.lost) for cell in logs.read_cells(tmp_path / "cells")[2:]}
    assert late == {"run-3": (0.0, False), "run-4": (1.0, True)}, "it was first seen after its end; it was lost"
    assert CellLog(tmp_path / "free").add([first], COLUMNS) is False
    assert logs.read_cells(tmp_path / "free")[0].cost is None


def test_peaks_of_workers_errors_and_waiting_are_kept(tmp_path):
    log = CellLog(tmp_path / "cells")
    failing = told(groups=[TASKS | {"n_failed": 1, "error": "ValueError: 7"}], n_lost_workers=1)
    threads = COLUMNS | {"n_threads": (1, 2)}
    assert log.add([failing], threads)
    log.add([failing], threads | {"memory_bytes": (500, 50)})
    assert not log.add([failing | {"ended": failing["began"] + 2}], threads)
    [cell] = logs.read_cells(tmp_path / "cells")
    assert {worker.name: worker.memory_bytes for worker in cell.workers} == {"0": 500, "1": 200}
    assert (cell.n_threads, cell.n_lost_workers) == (3, 1)
    assert cell.waiting_seconds == 3 * 2 - 0.5
