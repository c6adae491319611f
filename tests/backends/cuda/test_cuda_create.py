"""GPU clusters end to end: ``gpucluster.create`` in one process, the cluster in another."""

import json
from typing import Any

import pytest
from gpucluster.client.control import Control
from nvml.machine import gpu, gpu_uuid

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")

BEGIN = """
import json, os, signal, time
import psutil
import gpucluster
from gpucluster.client.control import Control
from gpucluster.protocol.errors import GPUClusterError

def until(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
    return value

def below(pid):
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []

def lives(process):
    try:
        return process.is_running() and process.status() != "zombie"
    except psutil.NoSuchProcess:
        return False
"""


@pytest.fixture
def run(machine, tmp_path):
    """Return what runs a program on a machine, by default with three GPUs; stop all clusters at the end."""

    def run(program: str, **environment: str) -> Any:
        environment |= {"GPUCLUSTER_DIR": str(tmp_path / "registry")}
        return json.loads(machine.run(BEGIN + program, **environment).splitlines()[-1])

    machine.write([gpu(1, total=81920, used=4096, util=50), "process 1 used=3900", gpu(2, total=40960), gpu(3)])
    yield run
    # A test that fails half-way must not leave a cluster running.
    control = Control(tmp_path / "registry")
    for model in control.list():
        if not model.state.ended:
            control.stop(model.id)


@pytest.mark.timeout(400)
def test_create_scale_and_stop(run):
    result = run(
        """
cluster = gpucluster.create("cuda", name="gpus", n_workers=2)
running = cluster.model
client = cluster.get_client()
total = client.submit(sum, [1, 2, 3]).result()
client.close()
refusals = []
for ask in (lambda: cluster.scale(4), lambda: cluster.adapt(1, 4)):
    try:
        ask()
    except GPUClusterError as error:
        refusals.append(error.message)
cluster.scale(3)
scaled = cluster.model
cluster.restart()
restarted = until(lambda: (model := cluster.model).state == "running" and model.n_workers == 3 and model)
processes = below(running.pid)
cluster.stop()
until(lambda: not any(map(lives, processes)))
print(json.dumps({
    "running": running.model_dump(mode="json"), "scaled": scaled.model_dump(mode="json"),
    "stopped": cluster.state, "total": total, "refusals": refusals, "restarted": restarted.model_dump(mode="json"),
}))
"""
    )
    running = result["running"]
    assert (running["state"], running["backend"], running["network"]) == ("running", "cuda", "unix")
    assert {worker["device"] for worker in running["workers"]} == {gpu_uuid(2), gpu_uuid(3)}
    assert running["versions"]["dask_cuda"]
    why = "must be at most 3, not 4: this cluster has 3 GPUs, one worker each."
    assert result["refusals"] == [f"n_workers: {why}", f"adapt.maximum: {why}"]
    for model in (result["scaled"], result["restarted"]):
        assert {worker["device"] for worker in model["workers"]} == {gpu_uuid(number) for number in (1, 2, 3)}
    assert (result["total"], result["stopped"]) == (6, "stopped")


@pytest.mark.full
def test_a_retired_worker_frees_its_gpu_for_the_next(run):
    result = run(
        """
with gpucluster.create("cuda", name="gpus", n_workers=3) as cluster:
    first = [worker.model_dump(mode="json") for worker in cluster.model.workers]
    with cluster.get_client() as client:
        futures = client.scatter(list(range(30)), workers=[first[1]["address"]])
        cluster.retire(first[1]["name"])
        settled = until(lambda: (model := cluster.model).state == "running" and model)
        left = [worker.device for worker in settled.workers]
        total = sum(client.gather(futures))
        wanted = cluster.model.wanted.n_workers
        # At once, while the old worker may still be going.
        cluster.retire(first[2]["name"], wait=False)
        cluster.scale(3)
    again = [worker.model_dump(mode="json") for worker in cluster.model.workers]
    print(json.dumps({"first": first, "left": left, "total": total, "wanted": wanted, "again": again}))
"""
    )
    devices = {gpu_uuid(number) for number in (1, 2, 3)}
    assert {worker["device"] for worker in result["first"]} == devices
    assert set(result["left"]) == devices - {result["first"][1]["device"]}
    assert (result["total"], result["wanted"]) == (sum(range(30)), 2)
    assert {worker["device"] for worker in result["again"]} == devices
    same = {worker["pid"] for worker in result["first"]} & {worker["pid"] for worker in result["again"]}
    assert same == {result["first"][0]["pid"]}


def test_auto_uses_the_gpu_and_gives_the_reason(run):
    result = run(
        """
with gpucluster.create("auto", n_workers=1) as cluster:
    print(json.dumps([cluster.model.backend, cluster.model.backend_reason]))
"""
    )
    assert result == ["cuda", "3 GPUs can be used, 2 of them idle."]


def test_nothing_outlives_a_killed_supervisor(run):
    result = run(
        """
cluster = gpucluster.create("cuda", n_workers=3)
pid = cluster.model.pid
processes = below(pid)
os.kill(pid, signal.SIGKILL)
until(lambda: not any(map(lives, processes)), seconds=5)
ended = until(lambda: (model := cluster.model).state == "failed" and model)
print(json.dumps({"processes": len(processes), "state": ended.state, "reason": ended.reason, "log": ended.log_tail}))
"""
    )
    assert result["processes"] >= 4  # the forkserver and three workers
    assert result["state"] == "failed" and result["reason"] and result["log"]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ("n_workers=4", "StartFailed", "only 3 GPUs can be used here"),
        ("devices=[7]", "StartFailed", "There is no GPU 7 on this machine; it has 0, 1, 2."),
        ("rmm_pool_size='4 GiB'", "StartFailed", "'rmm'"),
        ("pre_import=['without_licence']", "StartFailed", "the licence has expired"),
        ("rmm_async=True, rmm_pool_size='4 GiB'", "InvalidRequest", "omit rmm_pool_size"),
        ("jit_unspill=True", "InvalidRequest", "jit_unspill"),
        ("protocol='tcp', enable_nvlink=True", "InvalidRequest", "needs protocol 'ucx'"),
    ],
)
def test_failed_start_reports_why(run, tmp_path, options, error, words):
    (tmp_path / "without_licence.py").write_text("raise RuntimeError('the licence has expired')\n")
    kinds, message, models = run(
        f"""
try:
    gpucluster.create("cuda", {options})
except GPUClusterError as error:
    models = Control().list()
    # The supervisor may take a moment to end after it has recorded the failure.
    family = [process for model in models if model.pid for process in below(model.pid)]
    until(lambda: not any(map(lives, family)), seconds=10)
    kinds = [kind.__name__ for kind in type(error).__mro__]
    print(json.dumps([kinds, error.message, [(m.state, m.reason) for m in models]]))
""",
        PYTHONPATH=str(tmp_path),
    )
    assert error in kinds and words in message
    expected = [] if error == "InvalidRequest" else [["failed", message]]
    assert models == expected


PREFLIGHTS = """
import asyncio, json, os, pathlib, tempfile
from gpucluster.backends.backend import StartContext, load_backend
from gpucluster.protocol.spec import parse_spec
from gpucluster.sharing.claims import NodeClaims

directory = pathlib.Path(tempfile.mkdtemp())

KEPT = []

async def choose(**more):
    KEPT.append(NodeClaims())
    context = StartContext("0123abcd", None, directory, "prefix", claims=KEPT[-1])
    spec = parse_spec({"backend": "cuda", "n_workers": 1, "protocol": "tcp", **more})
    return (await load_backend("cuda").preflight(spec, context)).options["CUDA_VISIBLE_DEVICES"][0]

async def main():
    at_once = await asyncio.gather(choose(), choose(), choose())
    print(json.dumps([*at_once, await choose(), await choose(devices=[2])]))

asyncio.run(main())
"""
CREATE = """
from gpucluster.sharing.claims import NodeClaims

claims = NodeClaims()
with claims.choosing():
    claims.claim([os.environ["CLAIMED"]])
cluster = gpucluster.create("cuda", n_workers=1)
print(json.dumps([worker.device for worker in cluster.model.workers]))
cluster.stop()
"""


def test_each_cluster_gets_a_separate_gpu(machine):
    # The simulated driver does not notice workers: all GPUs stay idle.
    machine.write([gpu(1), gpu(2), gpu(3)])
    chosen = json.loads(machine.run(PREFLIGHTS).splitlines()[-1])
    assert sorted(chosen[:3]) == [gpu_uuid(1), gpu_uuid(2), gpu_uuid(3)]
    assert chosen[3] == gpu_uuid(1), "if all are claimed, they are shared"
    assert chosen[4] == gpu_uuid(3), "an explicit device is used, claimed or not"


def test_a_cluster_uses_no_gpu_that_is_claimed(machine, run):
    machine.write([gpu(1), gpu(2)])
    assert run(CREATE, CLAIMED=gpu_uuid(1)) == [gpu_uuid(2)]
