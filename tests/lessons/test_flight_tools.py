"""What lesson 05 uses beside the checks: files, plans, reading code, a small worker, an unchanged script."""

import builtins
import re
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from gpucluster import datasets
from gpucluster.lessons.building.source import SourceCell, read_source
from gpucluster.lessons.catalogue import find_lesson
from gpucluster.lessons.checking import ready
from gpucluster.lessons.course.lesson_05_flights import tools
from gpucluster.lessons.course.lesson_05_flights.checks import MOVES, damage_other_columns
from gpucluster.lessons.following import statements_of
from gpucluster.lessons.material.conversion import as_pandas
from gpucluster.lessons.probes import accelerator
from gpucluster.lessons.probes.memory import peak_memory, small_worker
from gpucluster.lessons.probes.timing import StageClock
from gpucluster.lessons.probes.transfers import bytes_between_workers, movement, plan
from IPython.core.inputtransformer2 import TransformerManager

LESSON = find_lesson("05")


def cell_with(words: str) -> str:
    cells = (LESSON.folder / "lesson.py").read_text(encoding="utf-8").split("# %% ")
    [found] = [cell for cell in cells if words in cell and not cell.startswith("[markdown]")]
    return found.partition("\n")[2]


def test_monthly_files_hold_every_flight_and_no_decimal_point(tmp_path: Path) -> None:
    flights = datasets.flights(as_frame="pandas")
    some = flights[flights["month"].isin([2, 9])].groupby("month").head(500)
    paths = tools.write_monthly_csv(tmp_path / "csv", some)
    assert [path.name for path in paths] == ["flights-2013-02.csv", "flights-2013-09.csv"]
    again = pd.concat([pd.read_csv(path, parse_dates=["time_hour"]) for path in paths], ignore_index=True)
    assert list(again.columns) == list(flights.columns)
    assert not any("." in line for line in paths[0].read_text().splitlines())
    for column in tools.WHOLE_BUT_MISSING:
        np.testing.assert_array_equal(again[column].to_numpy(float), some[column].to_numpy(float))
    assert (again["time_hour"].dt.tz_localize("UTC").to_numpy() == some["time_hour"].to_numpy()).all()


def test_column_bytes_add_up_to_what_the_files_hold(tmp_path: Path) -> None:
    table = pd.DataFrame({"wide": np.random.default_rng(0).normal(size=5000), "narrow": np.zeros(5000, "int8")})
    for name in ("a", "b"):
        table.to_parquet(tmp_path / f"{name}.parquet", index=False)
    sizes = tools.column_bytes(tmp_path)
    assert set(sizes) == {"wide", "narrow"}
    assert sizes["wide"] > 100 * sizes["narrow"] > 0
    total = sum(file.stat().st_size for file in tmp_path.iterdir())
    assert 0.9 * total < sum(sizes.values()) < total


def test_damaged_columns_cannot_be_read_and_the_others_can(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    table = pd.DataFrame({"origin": ["EWR", "JFK"] * 50, "dep_delay": np.arange(100.0), "distance": np.arange(100)})
    table.to_parquet(path, index=False)
    damage_other_columns(path, ["origin", "dep_delay"])
    pd.testing.assert_frame_equal(
        pd.read_parquet(path, columns=["origin", "dep_delay"]), table[["origin", "dep_delay"]]
    )
    with pytest.raises(Exception, match=r".+"):
        pd.read_parquet(path, columns=["distance"])


@pytest.mark.full
def test_the_words_of_the_check_are_those_of_the_plans(client: Any) -> None:
    namespace: dict[str, Any] = {"flights": datasets.flights(), "datasets": datasets}
    with client.as_current():
        exec(cell_with("operations = {"), namespace)
        assert {name: movement(operation) for name, operation in namespace["operations"].items()} == MOVES


@pytest.mark.full
def test_workers_count_what_they_send_each_other(client: Any) -> None:
    table = pd.DataFrame({"key": np.random.default_rng(0).permutation(40_000), "value": np.arange(40_000.0)})
    with client.as_current():
        lazy = dd.from_pandas(table, npartitions=8, sort=False).persist()
        sent = {
            "tree": bytes_between_workers(client, lazy["value"].sum()),
            "shuffle": bytes_between_workers(client, lazy.sort_values("key")),
        }
    assert 0 <= sent["tree"] < 10_000
    assert sent["shuffle"] > 0.2 * 16 * len(table)


def test_a_plan_is_short_and_names_the_columns() -> None:
    text = plan(datasets.flights().groupby("origin")["dep_delay"].mean())
    assert max(map(len, text.splitlines())) < 120
    assert "TreeReduce" in text
    assert text.splitlines()[-1].endswith("columns=['dep_delay', 'origin']")


def test_collecting_calls_are_found_in_code_that_is_not_run() -> None:
    found = tools.collecting_calls(cell_with("def pipeline_with_detours").partition("\n\n\n")[0])
    assert [line for line, _ in found] == [2, 3, 7, 7]
    clean = "def f(t, options):\n    '''Like compute().'''\n    return t.assign(a=options.get('b', 1)).mean()\n"
    assert tools.collecting_calls(clean) == []
    for wrong in ("t.to_pandas()", "t.get()", "pd.DataFrame(t)", "np.asarray(t)", "client.gather(t)", "t.persist()"):
        assert [code for _, code in tools.collecting_calls(f"def f(t):\n    return {wrong}\n")] == [wrong]


@pytest.mark.processes
@pytest.mark.full
def test_a_table_larger_than_the_worker_passes_through_it(registry: Path) -> None:
    from distributed import default_client

    with small_worker("400 MiB") as client:
        assert default_client() is client
        [worker] = client.scheduler_info()["workers"].values()
        assert worker["memory_limit"] == 400 * 2**20
        minutes = datasets.flight_minutes(48).partitions[:6]
        assert minutes.map_partitions(len).sum().compute() > 5e6
        assert 50e6 < peak_memory(client) < 400 * 2**20 < datasets.describe("flight_minutes").memory_bytes
    assert client.status == "closed"


@pytest.mark.processes
def test_an_unchanged_script_says_what_it_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accelerator, "find_spec", lambda name: None)
    run = accelerator.run_unchanged("print(6 * 7)")
    assert repr(run) == "$ python script.py\n42"
    assert run.succeeded
    failed = accelerator.run_unchanged("raise SystemExit('no such table')")
    assert (failed.succeeded, failed.output) == (False, "no such table")
    slow = accelerator.run_unchanged("import time; time.sleep(30)", timeout=0.5)
    assert (slow.succeeded, slow.output) == (False, "It did not end within 0.5 s.")


@pytest.mark.processes
def test_an_accelerator_is_put_before_the_script_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accelerator, "find_spec", lambda name: object() if name == "cudf" else None)
    monkeypatch.setattr(accelerator, "ACCELERATOR", "cudf.pandas")
    run = accelerator.run_unchanged("print(1)")
    assert run.command == "python -m cudf.pandas script.py"


def test_the_clock_adds_up_stages_also_of_a_cell_that_fails() -> None:
    clock = StageClock()
    assert clock.shares() == {}
    with clock.stage("prepare"), clock.stage("analyse"):
        pass
    with pytest.raises(ValueError, match="no"), clock.stage("prepare"):
        raise ValueError("no")
    assert list(clock.seconds) == ["analyse", "prepare"]
    assert sum(clock.shares().values()) == pytest.approx(1)


def test_cells_after_an_exercise_wait_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert ready("05.1", len)
    assert ready("05.1", {"picture": np.zeros((2, 2)), "strides": None})
    assert not ready("05.1", len, ...)
    assert not ready("05.1", {"a": 1, "b": ...})
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2
    assert said[0].startswith("Nothing to run yet: finish exercise 05.1, run the cells after it, then this one.")
    assert 'continue_with("05.1")' in said[0]


def test_tables_come_to_pandas_from_wherever_they_are() -> None:
    class Elsewhere:
        def to_pandas(self) -> str:
            return "here"

    assert as_pandas(Elsewhere()) == "here"
    assert as_pandas(5) == 5
    assert as_pandas(dd.from_pandas(pd.DataFrame({"a": [1, 2]}), npartitions=1)["a"].sum()) == 3


PROVIDED = {*dir(builtins), "display", "get_ipython"}
GUARDED = re.compile(r'^if ready\("05\.\d+", globals\(\)\.get\("(\w+)"\)\):$', re.MULTILINE)
"""The first line of a cell that does nothing, and says so, without an answer of the first half."""


def plain(text: str) -> str:
    """Return a cell's text with its magics as Python."""
    return str(TransformerManager().transform_cell(text))  # type: ignore[no-untyped-call]


def names(cell: SourceCell) -> tuple[set[str], set[str]]:
    """Return the names that a cell makes, and those that it uses, in functions as well."""
    statements = statements_of([cell.solution_text()], plain)
    assert statements, "the cell is Python"
    return {name for one in statements for name in one.gives}, {name for one in statements for name in one.takes}


def second_half() -> list[SourceCell]:
    """The first two code cells, and those from section 6 on."""
    cells = read_source(LESSON.folder / "lesson.py").cells
    start = next(number for number, cell in enumerate(cells) if cell.anchor == "categories")
    code = [(number, cell) for number, cell in enumerate(cells) if cell.type == "code"]
    return [cell for number, cell in code[:2] + [pair for pair in code if pair[0] > start]]


def test_the_second_half_needs_only_the_first_two_code_cells() -> None:
    known = set(PROVIDED)
    missing = {}
    for cell in second_half():
        made, used = names(cell)
        known |= made
        if unknown := used - known - set(GUARDED.findall(cell.text)):
            missing[cell.text.splitlines()[0]] = sorted(unknown)
    assert missing == {}


def test_a_missing_name_is_found() -> None:
    made, used = names(SourceCell("code", "def f():\n    return home\n\n\nwith open(target) as file:\n    x = file"))
    assert made == {"f", "file", "x"}
    assert {"home", "target"} <= used
