"""The server process: its imports, and what remains after its end."""

import json
import signal
import subprocess
import sys
import threading
import time
import unicodedata
from contextlib import suppress

import gpucluster
import httpx
import pytest
from gpucluster.registry import lock
from gpucluster.registry.store import Registry

from .jupyterprocess import jupyter_process

HEAVY = {
    "dask", "distributed", "dask_cuda", "cudf", "cupy", "rmm", "numba", "cuda", "numpy", "pandas", "sklearn", "bokeh",
    "matplotlib",
}  # fmt: skip

IMPORT_ALL = """
import importlib, pkgutil, sys
import gpucluster, gpucluster.server
[point] = gpucluster._jupyter_server_extension_points()
assert point["app"].name == "gpucluster"
names = [module.name for module in pkgutil.walk_packages(gpucluster.server.__path__, "gpucluster.server.")]
assert "gpucluster.server.dashboards" in names, names
for name in names:
    importlib.import_module(name)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_handlers_import_nothing_heavy():
    done = subprocess.run([sys.executable, "-c", IMPORT_ALL], capture_output=True, text=True, check=True, timeout=120)
    imported = set(done.stdout.split())
    assert "tornado" in imported
    assert imported & HEAVY == set()


HOSTILE = [
    "api/clusters/%1b%5b31mred%00%0a%5bI%202026%5d%20forged",
    "api/clusters/%C2%9b31m%E2%80%A8%e2%80%ae",
    "api/clusters/shared/logs?lines=%1b%5b2J%00",
    "api/recordings/session?source=folder&path=%1b%5b2J%00.gpucluster.jsonl",
    "api/recordings/session?source=%1b%5b2J",
    "dashboard/%1b%5b31mred%00/status",
    "dashboard/shared/%1b%5b31mred%00",
    "api/lessons/%1b%00/recall",
]


def test_working_server_imports_nothing_heavy(registry_directory, running_cluster, tmp_path):
    with jupyter_process(tmp_path, standby=False) as jupyter:
        for path in ("clusters", "clusters/shared", "clusters/shared/logs", "devices", "schema", "openapi.json"):
            jupyter.call("GET", path)
        for path in HOSTILE:
            for method in ("GET", "POST"):
                assert 400 <= jupyter.status(path, method) < 500, path
        assert "Dask Diagnostic UI" in jupyter.page("dashboard/shared/status")
        made = jupyter.call("POST", "clusters", {"name": "unheavy", "backend": "local", "n_workers": 1})
        jupyter.call("DELETE", f"clusters/{made['id']}")
        jupyter.end(signal.SIGTERM)
        imported = {name.partition(".")[0] for name in jupyter.modules()}
    log = jupyter.log.read_text()
    assert "Cluster '\\x1b[31mred\\x00" in log
    # Their input is escaped, and cannot forge lines of Jupyter's log.
    assert {letter for letter in log if unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp"}} <= {"\n"}
    assert not [line for line in log.splitlines() if line.startswith("[I 2026] forged")]
    assert "tornado" in imported
    assert imported & HEAVY == set()


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGKILL, marks=pytest.mark.full)], ids=["SIGTERM", "SIGKILL"]
)
def test_standby_ends_with_the_server(site, wait_until, tmp_path, number):
    with jupyter_process(tmp_path / "server", standby=True) as jupyter:
        jupyter.call("GET", "clusters")
        site.warm_standby()
        jupyter.end(number)
        wait_until(lambda: not site.processes())
    assert site.registry.folders() == []


def test_server_exit_does_not_wait_for_hung_clients(tmp_path, monkeypatch):
    """The registry's lock is held, as by a suspended process; twenty requests wait for it."""
    monkeypatch.setenv("GPUCLUSTER_DIR", str(tmp_path / "r"))
    registry = Registry()
    with jupyter_process(tmp_path / "j", standby=False) as jupyter, lock.held(registry.directory / "lock"):

        def ask() -> None:
            with suppress(httpx.HTTPError):
                jupyter.answer("POST", "clusters", {"backend": "local", "n_workers": 1})

        threads = [threading.Thread(target=ask) for _ in range(20)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        jupyter.process.send_signal(signal.SIGTERM)
        # Each of the requests may wait for half a minute, six at a time.
        jupyter.process.wait(lock.PATIENCE_SECONDS - 5)
        for thread in threads:
            thread.join()
    assert not registry.folders()


COMPUTE = """
import pathlib, sys, time
import gpucluster

client = gpucluster.connect("class").get_client()

def square(number, goal):
    import pathlib, time
    pathlib.Path(f"{goal}-{number}").touch()
    while not pathlib.Path(goal).exists():
        time.sleep(0.01)
    return number * number

client.publish_dataset(total=client.submit(sum, client.map(square, range(6), goal=sys.argv[1], pure=False)))
print("computing", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["SIGTERM", "SIGKILL"])
def test_a_computation_outlives_jupyter(site, wait_until, tmp_path, number):
    goal = tmp_path / "go"
    with jupyter_process(tmp_path / "first", standby=False) as jupyter:
        requested = {"name": "class", "backend": "local", "n_workers": 2, "memory_limit": "512 MiB"}
        made = jupyter.call("POST", "clusters", requested)
        before = site.control.wait(made["id"])
        kernel = site.python(COMPUTE, str(goal))
        try:
            assert kernel.stdout.readline() == "computing\n"
            wait_until(lambda: list(tmp_path.glob("go-*")))
            jupyter.end(number)
        finally:
            kernel.kill()  # its kernels go with the server
            kernel.communicate()
    with jupyter_process(tmp_path / "second", standby=False) as jupyter:
        [listed] = jupyter.call("GET", "clusters")["clusters"]
        assert (listed["id"], listed["state"], listed["pid"]) == (made["id"], "running", before.pid)
        assert listed["workers"] == json.loads(before.model_dump_json())["workers"]
        with gpucluster.connect("class").get_client() as client:
            goal.touch()
            assert client.get_dataset("total").result(90) == 0 + 1 + 4 + 9 + 16 + 25
        assert jupyter.call("PATCH", "clusters/class", {"n_workers": 1})["wanted"]["n_workers"] == 1
        jupyter.call("DELETE", "clusters/class")
        site.wait_for(made["id"], lambda model: model.state.ended)
    wait_until(lambda: not site.processes())
