"""All verbs on real clusters from the shell."""

import getpass
import json
import os
import re
import subprocess
import sys
from typing import Any

import httpx
import pytest
from nvml.machine import gpu, gpu_uuid

NEEDED = {"id", "name", "backend", "state", "scheduler_address", "n_workers", "pid"}
SMALL = ("--memory-limit", "512 MiB")


def test_json_of_the_main_verbs(site, answer):
    made = answer("create", "--name", "N", "--backend", "local", "--n-workers", "2", *SMALL)
    assert made.keys() >= NEEDED
    assert (made["name"], made["backend"], made["state"], made["n_workers"]) == ("N", "local", "running", 2)
    assert made["scheduler_address"].startswith("gpucluster+unix://127.0.0.1/")
    os.kill(made["pid"], 0)

    listed = answer("list")
    assert [item["id"] for item in listed] == [made["id"]]
    assert listed[0].keys() >= NEEDED

    seen = answer("status", "N")
    assert (seen["id"], seen["pid"], seen["n_workers"]) == (made["id"], made["pid"], 2)

    scaled = answer("scale", "N", "3")
    assert (scaled["id"], scaled["state"], scaled["n_workers"]) == (made["id"], "running", 3)
    assert len({worker["pid"] for worker in scaled["workers"]}) == 3

    stopped = answer("stop", "N")
    assert (stopped["id"], stopped["state"], stopped["n_workers"]) == (made["id"], "stopped", 0)
    assert site.processes() == []


def test_text_for_people(shared_cluster, gpucluster):
    heading, row = gpucluster("list").stdout.splitlines()
    assert heading.split()[:4] == ["NAME", "KIND", "STATE", "WORKERS"]
    assert row.split()[:4] == ["shared", "CPU", "running", "2"]
    assert row.index("CPU") == heading.index("KIND")
    card = gpucluster("status").stdout
    assert "State:    running" in card
    assert "Network:  sockets in a private folder, only you can connect" in card
    assert "runs until it is stopped" in card
    link = gpucluster("dashboard", "shared").stdout.strip()
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{20,}/status", link)
    assert httpx.get(link, trust_env=False).status_code == 200


def test_work_runs_on_it(shared_cluster, answer):
    long, short = answer("logs", "shared")["lines"], answer("logs", "--lines", "2")["lines"]
    assert (len(short), short) == (2, long[-2:])
    assert [preset["name"] for preset in answer("presets")][:2] == ["auto", "cpu"]
    code = answer("connect")["code"]
    program = f"{code}print(client.submit(sum, [1, 2, 39]).result())\nclient.close()\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "42", done.stderr


def test_adapt_scale_and_restart(shared_site, shared_cluster, answer):
    adapted = answer("adapt", "2", "3")
    bounds = adapted["wanted"]["adapt"]
    assert (bounds["minimum"], bounds["maximum"]) == (2, 3)
    fixed = answer("scale", "shared", "2")
    assert (fixed["id"], fixed["wanted"]["adapt"], fixed["n_workers"]) == (shared_cluster.id, None, 2)
    before = shared_site.get("shared")
    after = answer("restart")
    assert (after["n_workers"], after["pid"]) == (2, before.pid)
    assert not {worker["pid"] for worker in after["workers"]} & {worker.pid for worker in before.workers}


@pytest.mark.full
def test_retire_and_activity(shared_site, shared_cluster, answer, gpucluster):
    answer("scale", "2")
    leaving, staying = (worker.name for worker in shared_site.get("shared").workers)
    after = answer("retire", leaving)
    assert [worker["name"] for worker in after["workers"]] == [staying]
    refused = gpucluster("retire", "shared", "nobody")
    assert (refused.returncode, refused.stdout) == (3, "")
    assert refused.stderr == f"The cluster 'shared' has no worker 'nobody'. Its workers are: {staying}.\n"
    answer("scale", "2")
    entries = answer("activity", "--lines", "500")["entries"]
    asked = [entry for entry in entries if entry["kind"] in {"scale", "retire"}]
    assert [entry["message"] for entry in asked[-2:]] == [f"Retire Worker {leaving}", "Scale to 2 workers"]
    assert asked[-1]["by"].startswith("command line, process ")
    text = gpucluster("activity", "shared").stdout
    assert text.startswith("TIME")
    assert f"Retire Worker {leaving}" in text


@pytest.mark.full
def test_no_wait_and_follow(site, answer, command):
    made = answer("create", "--name", "talk", "--backend", "local", "--n-workers", "1", "--no-wait", *SMALL)
    assert made["state"] == "starting"
    site.control.wait("talk")
    words = [*command, "logs", "talk", "--lines", "1", "--follow"]
    reader = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert reader.stdout is not None
    reader.stdout.readline()
    site.control.stop("talk")
    rest, errors = reader.communicate(timeout=60)
    assert (reader.returncode, errors) == (0, "")
    assert len(rest.splitlines()) > 1


@pytest.mark.full
def test_stop_all_remove_and_clean(site, answer, gpucluster):
    for name in ("a", "b", "c"):
        site.create(name=name)
    several = gpucluster("stop")
    assert several.returncode == 2
    assert several.stderr == "There are 3 clusters: a, b, c. Name one.\n"
    assert sorted(item["name"] for item in answer("stop", "a", "b")) == ["a", "b"]
    assert gpucluster("remove", "c").returncode == 4
    assert [item["name"] for item in answer("stop", "--all")] == ["c"]
    ended = gpucluster("connect", "c")
    assert (ended.returncode, ended.stdout) == (4, "")
    assert ended.stderr == "The cluster 'c' is stopped. Create another one.\n"
    assert answer("remove", "a")["name"] == "a"
    assert sorted(item["name"] for item in answer("clean")) == ["b", "c"]
    assert answer("list") == []


@pytest.mark.full
def test_devices_show_the_processes_using_memory(site, machine, gpucluster, tmp_path):
    worker = site.running(name="talk").workers[0]
    kernel = [sys.executable, "-c", _KERNEL, str(tmp_path / "kernel-0a1b2c3d-4e5f.json")]
    named = {**os.environ, "JPY_SESSION_NAME": "/home/me/k means.ipynb"}
    with (
        subprocess.Popen(kernel, env=named, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as mine,
        subprocess.Popen([*kernel[:-1], "kernel-5c.json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as nameless,
        subprocess.Popen(["/bin/sh", "-c", "read nothing"], stdin=subprocess.PIPE) as other,
    ):
        assert mine.stdout is not None and nameless.stdout is not None
        child = int(mine.stdout.readline())
        nameless.stdout.readline()
        pids = {mine.pid: 1024, child: 512, worker.pid: 4096, nameless.pid: 8, other.pid: 16, 999_999_999: 2048}
        users = [f"process {pid} used={used}" for pid, used in pids.items()]
        machine.write([gpu(1, total=10240, used=8192, util=45, reserved=600), *users, gpu(2, name="Other")])
        environment = {**os.environ, **machine.environment()}
        environment.pop("CUDA_VISIBLE_DEVICES", None)
        text = gpucluster("devices", env=environment).stdout
        answer = json.loads(gpucluster("devices", "--json", env=environment).stdout)
        for process in (mine, nameless, other):
            assert process.stdin is not None
            process.stdin.close()
    told = [re.sub(" +pid ", "  pid ", line) for line in text.splitlines()]
    assert told[:4] == [
        "2 GPUs can be used, 1 of them idle.",
        "",
        f"GPU 0  Fake A16  {gpu_uuid(1)}",
        "  8 GiB of 10 GiB used (80 %) · 600 MiB reserved · load 45 %",
    ]
    lines = [re.sub(" {2,}", "  ", line.strip()) for line in told[4:10]]
    assert lines == [
        f"Worker 0 of talk  4 GiB (40 %)  pid {worker.pid}",
        "process outside this container  2 GiB (20 %)  pid 999999999",
        f"/home/me/k means.ipynb  1 GiB (10 %), 1.5 GiB including its child processes  pid {mine.pid}",
        f"{program_of(answer, child)} of /home/me/k means.ipynb  512 MiB (5 %)  pid {child}",
        f"sh of {getpass.getuser()}  16 MiB (0 %)  pid {other.pid}",
        f"kernel 5c  8 MiB (0 %)  pid {nameless.pid}",
    ]
    depths = [len(line) - len(line.lstrip()) for line in told[4:10]]
    assert depths == [4, 4, 4, 6, 4, 4]
    assert told[11] == f"GPU 1  Other  {gpu_uuid(2)}"
    found = {one["pid"]: (one["role"], one["worker"]) for one in answer["devices"][0]["processes"]}
    assert found[worker.pid] == ("worker", worker.name)
    assert [found[pid][0] for pid in (mine.pid, child, 999_999_999)] == ["kernel", "child", "outside"]


_KERNEL = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"])
print(child.pid, flush=True)
sys.stdin.read()
"""


def program_of(answer: Any, pid: int) -> str:
    [name] = [one["command"] for one in answer["devices"][0]["processes"] if one["pid"] == pid]
    return str(name)


def test_nothing_heavy_is_imported(site):
    program = """
import json, sys
from gpucluster.cli import main
main(["list"]); main(["create", "--n-workers", "x"]); main(["help", "create"])
heavy = {"dask", "distributed", "numpy", "cupy", "tornado", "IPython"}
print(json.dumps(sorted(heavy & set(sys.modules))))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_a_reader_that_leaves_early_is_no_error(site, command):
    words = ["bash", "-c", '"$@" help create | head -n 1; echo "${PIPESTATUS[0]}"', "bash", *command]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd="/")
    assert done.stdout.splitlines()[0].startswith("usage: gpucluster create")
    assert done.stderr == ""
