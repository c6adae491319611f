"""What cells did outlives their cluster, for some days and in some bytes."""

import os
import time
from datetime import UTC, datetime, timedelta

import pytest
from gpucluster.client.history.reading import history, read_history, sum_history
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.registry import history as kept
from gpucluster.registry import logs
from gpucluster.registry.record import stamped
from gpucluster.registry.store import Registry

from tests.client.test_comparing import cell, tasks, where


@pytest.fixture
def registry(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUCLUSTER_DIR", str(tmp_path / "clusters"))
    return Registry()


def work(number, began, **fields):
    return cell(
        [tasks("inc", 1.5)], id=f"run-{number}", number=number, began=began, ended=None, notebook="run.ipynb", **fields
    )


def ended(registry, number, name="etl", days=0.0):
    """Remove a cluster that has computed a cell some days ago; returns its folder."""
    folder, descriptor = registry.new_folder()
    os.close(descriptor)
    began = stamped(datetime.now(UTC) - timedelta(days=days))
    logs.append_cells(folder.cells, [work(number, began, where=where(cluster=name, cluster_id=folder.id))])
    registry.delete(folder)
    assert not folder.path.exists()
    return folder


def numbers(registry, chosen=None):
    return [cell.number for cell in read_history(registry, chosen).cells]


def test_cells_outlive_their_cluster(registry):
    folder, descriptor = registry.new_folder()
    os.close(descriptor)
    ended(registry, 1)
    logs.append_cells(folder.cells, [work(2, stamped(datetime.now(UTC)))])
    assert numbers(registry) == [1, 2]
    [file] = (registry.directory / "history").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_they_are_kept_for_some_days(registry, monkeypatch):
    monkeypatch.setenv(kept.DAYS_VARIABLE, "7")
    old = ended(registry, 1, days=8)
    ended(registry, 2, days=6)
    assert numbers(registry) == [2]
    file = registry.directory / "history" / f"{old.id}.jsonl"
    os.utime(file, (time.time() - 8 * 86_400,) * 2)
    ended(registry, 3)
    assert not file.exists()
    assert numbers(registry) == [2, 3]
    monkeypatch.setenv(kept.DAYS_VARIABLE, "0")
    gone = ended(registry, 4)
    assert not (registry.directory / "history" / f"{gone.id}.jsonl").exists()


def test_they_take_some_bytes_only(registry, monkeypatch):
    monkeypatch.setattr(kept, "BYTES", 3 * 4096)
    for number in range(1, 6):
        folder = ended(registry, number)
        os.utime(registry.directory / "history" / f"{folder.id}.jsonl", (time.time() - 60 + number,) * 2)
    assert len(numbers(registry)) == 3
    for unreadable in ("many", "50%", "0.5"):
        monkeypatch.setenv(kept.SIZE_VARIABLE, unreadable)
        assert kept.kept_bytes() == kept.BYTES
    monkeypatch.setenv(kept.SIZE_VARIABLE, "2 MiB")
    assert kept.kept_bytes() == 2 * 2**20


@pytest.mark.parametrize(("days", "found"), [("inf", 1), ("1e12", 1), ("a week", 1), ("nan", 0), ("-1", 0)])
def test_any_number_of_days_can_be_read(registry, monkeypatch, days, found):
    monkeypatch.setenv(kept.DAYS_VARIABLE, days)
    ended(registry, 1, days=2)
    assert len(read_history(registry).cells) == found


def test_other_files_in_the_folder_stay(registry):
    (registry.directory / "history").mkdir(mode=0o700)
    (note := registry.directory / "history" / "note.txt").write_text("mine")
    os.utime(note, (0, 0))
    ended(registry, 1)
    assert note.exists()


def test_unwritable_history_delays_nothing(registry):
    (registry.directory / "history").write_text("in the way")
    ended(registry, 1)
    assert numbers(registry) == []


def test_the_default_registry_keeps_them_at_home(tmp_path, monkeypatch):
    monkeypatch.delenv("GPUCLUSTER_DIR", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert kept.history_folder(kept.default_directory()) == tmp_path / "gpucluster" / "history"
    assert kept.history_folder(tmp_path / "mine") == tmp_path / "mine" / "history"


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ("etl", [1]),
        ("etl,weather", [1, 2]),
        ("{day}", [2]),
        ("weather@{day}", [2]),
        ("Client-1", [1, 2]),
        ("{key}", [1]),
    ],
)
def test_runs_are_chosen_by_name_day_and_id(registry, chosen, found):
    ended(registry, 1, days=2)
    ended(registry, 2, name="weather")
    day = f"@{datetime.now().astimezone().date()}"
    chosen = chosen.replace("@{day}", day).replace("{day}", day).replace("{key}", work(1, "").key)
    assert numbers(registry, chosen) == found


def test_an_unknown_name_is_refused(registry):
    with pytest.raises(InvalidRequest, match="Nothing in the history is named 'elt'"):
        read_history(registry, "elt")


def test_sums_by_day_notebook_and_cluster(registry):
    folder, descriptor = registry.new_folder()
    os.close(descriptor)
    cost = {"cost": 0.25, "cost_unit": "node-hours"}
    days = [datetime(2026, 11, day, 12).astimezone() for day in (28, 29, 29)]
    cells = [work(number, stamped(day), where=where(cluster_id=folder.id), **cost) for number, day in enumerate(days)]
    logs.append_cells(folder.cells, [*cells[:2], cells[2].model_copy(update={"cost": None, "notebook": "b/run.ipynb"})])

    def sums(by):
        return {one.name: (one.n_runs, one.n_tasks, one.cost) for one in sum_history(registry, None, by).sums}

    quarter, half = {"node-hours": 0.25}, {"node-hours": 0.5}
    assert sums("day") == {"2026-11-28": (1, 8, quarter), "2026-11-29": (2, 16, quarter)}
    assert sums("notebook") == {"run.ipynb": (2, 16, half), "b/run.ipynb": (1, 8, {})}
    assert sums("cluster") == {"etl": (3, 24, half)}


def test_the_history_is_a_data_frame(registry):
    assert len(history()) == 0
    ended(registry, 1)
    frame = history()
    assert frame.iloc[0][["cluster", "n_tasks", "compute_seconds", "version_dask"]].tolist() == ["etl", 8.0, 1.5, "1"]
    assert history("etl", by="group").iloc[0]["name"] == "inc"
