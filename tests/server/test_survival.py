"""Jupyter killed in the middle of a computation: the cluster is listed again and the result is right."""

from __future__ import annotations

import json
import signal

import gpucluster
import pytest

from .jupyterprocess import jupyter_process

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


@pytest.mark.full
def test_the_standby_does_not_outlive_a_server_that_is_killed(site, wait_until, tmp_path):
    with jupyter_process(tmp_path / "killed", standby=True) as jupyter:
        jupyter.call("GET", "clusters")
        wait_until(site.standby_pids)
        jupyter.end(signal.SIGKILL)
        wait_until(lambda: not site.processes())
    assert site.registry.folders() == []
