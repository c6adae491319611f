"""Cells of a notebook on a real cluster: what each computed, with the magic, Python and the command line."""

import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from gpucluster.client.history.cells import current_cell, line_of_work
from IPython.core.interactiveshell import InteractiveShell


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("import dask\n# sum\nx.sum().compute()\n", "x.sum().compute()"),
        ("x = y.persist()\n\n", "x = y.persist()"),
        ("%gpucluster connect\nclient.submit(f)", "client.submit(f)"),
        ("import dask", "import dask"),
        ("", ""),
        ("x" * 999, "x" * 200),
    ],
)
def test_the_line_that_computes_names_a_cell(code, line):
    assert line_of_work(code) == line


class Kernel:
    """What is asked of a kernel: the request that it carries out."""

    def __init__(self) -> None:
        self.request: dict[str, Any] = {}

    def get_parent(self, _channel: str) -> dict[str, Any]:
        return self.request


def test_waiting_cell_begins_when_started(monkeypatch):
    shell = InteractiveShell()
    monkeypatch.setattr(shell, "kernel", kernel := Kernel(), raising=False)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    current_cell()
    sent = datetime.now(UTC) - timedelta(seconds=60)
    found = []
    for name in ("a", "b"):
        header = {"msg_type": "execute_request", "msg_id": name, "date": sent}
        kernel.request = {"header": header, "metadata": {"cellId": name}, "content": {"code": "x"}}
        started = time.time()
        shell.user_ns["look"] = lambda: found.append(current_cell())
        shell.run_cell("look()", store_history=True).raise_error()
        assert started <= found[-1].began <= time.time()
    assert [cell.cell for cell in found] == ["a", "b"]


NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "gpucluster")
for cell in (
    "%gpucluster create --backend local --n-workers 1 --name cells --connect",
    "held = client.map(abs, range(5)); client.gather(held)",
    "1 + 1",
    "more = client.map(abs, range(5, 8)); client.gather(more)",
):
    shell.run_cell(cell, store_history=True).raise_error()
import time
until = time.monotonic() + 60
while len([one for one in shell.user_ns["cluster"].cells() if one.ended]) < 2 and time.monotonic() < until:
    time.sleep(0.2)
shell.run_cell("%gpucluster cells", store_history=True)
"""


@pytest.fixture
def short_registry(monkeypatch):
    """A folder whose sockets have short paths, whatever the test is called."""
    with tempfile.TemporaryDirectory(prefix="gpc", dir="/tmp") as folder:
        monkeypatch.setenv("GPUCLUSTER_DIR", folder)
        yield


@pytest.mark.usefixtures("short_registry")
def test_cells_are_distinguished_and_kept_after_end(tmp_path):
    done = subprocess.run([sys.executable, "-c", NOTEBOOK], capture_output=True, text=True, timeout=180)
    command = [sys.executable, "-m", "gpucluster.cli"]
    try:
        assert "IPython [2]" in done.stdout, done.stdout + done.stderr
        assert "IPython [3]" not in done.stdout
        assert "more = client.map" in done.stdout
    finally:
        subprocess.run([*command, "stop", "cells"], check=True, timeout=60)
    answer = subprocess.run([*command, "cells", "cells", "--json"], capture_output=True, check=True, timeout=60)
    found = {cell["number"]: cell for cell in json.loads(answer.stdout)["cells"]}
    assert {number: cell["groups"][0]["n_done"] for number, cell in found.items()} == {2: 5, 4: 3}
    assert not any(cell["by_time"] or cell["lost"] for cell in found.values())
    table = subprocess.run([*command, "cells", "cells"], capture_output=True, text=True, check=True, timeout=60)
    assert "IPython [4]" in table.stdout
    assert "done" in table.stdout
    subprocess.run([*command, "remove", "cells"], check=True, timeout=60)
    looked_at_history(command, tmp_path)


def looked_at_history(command, folder):
    """Look at the history of the cluster that was removed: all of it, one cell, two compared, and as a trace."""

    def told(*words):
        return subprocess.run(
            [*command, "history", *words], capture_output=True, text=True, check=True, timeout=60
        ).stdout

    cells = json.loads(told("--json"))["cells"]
    assert [cell["number"] for cell in cells] == [2, 4]
    assert cells[0]["where"]["cluster"] == "cells"
    assert cells[0]["where"]["versions"].keys() >= {"dask", "distributed", "python"}
    assert (cells[0]["n_workers"], [worker["name"] for worker in cells[0]["workers"]]) == (1, ["0"])
    assert cells[0]["waiting_seconds"] > 0
    [row, _] = [line.split() for line in told("cells").splitlines()[1:]]
    assert "Cluster:  cells (local) on" in told(row[0])
    assert "partitions of abs: 5, then 3." in told(cells[0]["id"], "--compare", cells[1]["id"])
    assert [line.split()[:2] for line in told("cells", "--by", "cluster").splitlines()[1:]] == [["cells", "2"]]
    refused = subprocess.run([*command, "history", "--by", "day", "--perfetto", "t"], capture_output=True, timeout=60)
    assert (refused.returncode, b"cannot be combined" in refused.stderr) == (2, True)
    told("--perfetto", str(folder / "trace"))
    trace = json.loads((folder / "trace.json").read_text())["traceEvents"]
    assert [event["name"] for event in trace if event["ph"] == "X"].count("abs") == 2
