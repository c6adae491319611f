"""Slots of GPUs that a site assigns: memory, labels, limits, and the queue."""

import json
from typing import Any

import pytest
from nvml.machine import gpu, gpu_uuid, mig_slice, slice_uuid

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")

GIB = 2**30
BEGINNING = """
import asyncio, json, os, pathlib, tempfile
from dataclasses import replace
from gpucluster.backends.backend import StartContext, load_backend
from gpucluster.protocol.errors import GPUClusterError
from gpucluster.protocol.spec import parse_spec
from gpucluster.supervisor.starting import device_claims

KEPT, REPORTED = [], []

async def cluster(**spec):
    KEPT.append(device_claims(pathlib.Path(tempfile.mkdtemp())))
    report = lambda step, message: REPORTED.append(message) if step == "line" else None
    context = StartContext("0123abcd", None, pathlib.Path("/"), "prefix", claims=KEPT[-1], report=report)
    spec = parse_spec({"backend": "cuda", "protocol": "tcp", **spec})
    try:
        plan = await load_backend("cuda").preflight(spec, context)
    except GPUClusterError as error:
        return error.message
    slots = [slot.model_dump() for slot in plan.slots]
    sizes = {name: value for name, value in plan.options.items() if name in ("device_memory_limit", "rmm_pool_size")}
    return {"slots": slots, "n": plan.n_workers, "most": plan.maximum_workers, **sizes}

"""


@pytest.fixture
def play(machine, tmp_path):
    """Return what runs a scene on these GPUs under a site, and returns its result."""

    def play(gpus: list[str], sharing: str, scene: str, **environment: str) -> Any:
        machine.write(gpus)
        site = tmp_path / "site.yaml"
        site.write_text(f"sharing:\n{sharing}")
        body = "\n".join(f"    {line}" for line in scene.strip().splitlines())
        program = f"{BEGINNING}\nasync def main():\n{body}\n\nprint(json.dumps(asyncio.run(main())))"
        return json.loads(machine.run(program, GPUCLUSTER_SITE=str(site), **environment).splitlines()[-1])

    return play


def test_slots_have_their_part_of_the_memory_and_a_label(play):
    first, second, third = play(
        [gpu(1), gpu(2)],
        "  slots_per_gpu: 2\n",
        "return [await cluster(), await cluster(), await cluster(n_workers=2)]",
    )
    (slot,) = first["slots"]
    assert (slot["uuid"], slot["slot"], slot["slots"], slot["memory_bytes"]) == (gpu_uuid(1), 1, 2, 8 * GIB)
    assert slot["label"] == "slot 1 of 2 (cooperative: the limit is not enforced)"
    # 80 % of the 90 % of the slot that is a pool where workers have RMM.
    assert first["device_memory_limit"] == int(0.72 * 8 * GIB) // 256 * 256
    assert (first["n"], first["most"]) == (1, 1)
    assert second["slots"][0]["uuid"] == gpu_uuid(2), "an unused GPU comes first"
    assert [slot["label"][:11] for slot in third["slots"]] == ["slot 2 of 2"] * 2


def test_device_memory_limit_must_fit_into_the_slot(play):
    refused = play([gpu(1)], "  slots_per_gpu: 4\n", "return await cluster(device_memory_limit='8 GiB')")
    assert refused.startswith("device_memory_limit is 8 GiB, but GPU 0 (slot of 1/4) has 4 GiB in total.")


def test_workers_with_rmm_have_their_slot_as_a_pool(play, tmp_path):
    (tmp_path / "rmm.py").touch()
    found = play([gpu(1)], "  slots_per_gpu: 4\n", "return await cluster()", PYTHONPATH=str(tmp_path))
    assert found["rmm_pool_size"] == int(0.9 * 4 * GIB) // 256 * 256
    half = play([gpu(1)], "  slots_per_gpu: 4\n", "return await cluster(rmm_pool_size='50%')", PYTHONPATH=str(tmp_path))
    assert half["rmm_pool_size"] == 2 * GIB, "a share is one of the slot"


def test_labels_of_slices_and_whole_gpus(play):
    whole, part = play(
        [gpu(1, mig=1), mig_slice(5), gpu(2)], "  slots_per_gpu: 1\n", "return [await cluster(), await cluster()]"
    )
    assert whole["slots"][0]["label"].startswith("whole GPU")
    assert (part["slots"][0]["uuid"], part["slots"][0]["label"]) == (
        slice_uuid(5),
        "MIG slice (isolated by the hardware)",
    )
    assert part["slots"][0]["memory_bytes"] == 10 * GIB


def test_reserved_gpus_are_not_given_out(play):
    left, named = play(
        [gpu(1), gpu(2)], "  reserved_gpus: [0]\n", "return [await cluster(), await cluster(devices=[0])]"
    )
    assert left["most"] == 1
    assert named.startswith("GPU 0 (Fake A16) is reserved at this site")
    none = play([gpu(1), gpu(2)], "  reserved_gpus: [none]\n", "return await cluster()")
    assert none.startswith("All GPUs on this machine are reserved at this site")


def test_user_gets_no_more_than_the_site_allows(play):
    for sharing in ("  slots_per_gpu: 2\n  per_user: {gpus: 1}\n", "  per_user: {gpus: 1}\n"):
        one, more = play([gpu(1), gpu(2)], sharing, "return [await cluster(), await cluster()]")
        assert (one["n"], one["most"]) == (1, 1)
        assert "Each user may have 1 GPU or slot at a time" in more and "Stop a cluster" in more


def test_queue_for_a_gpu(play):
    reported, refused, found = play(
        [gpu(1)],
        "  slots_per_gpu: 1\n  per_user: {walltime: 00:06:00}\n",
        """
await cluster()
waiting = asyncio.create_task(cluster())
while not REPORTED:
    await asyncio.sleep(0.05)
reported, refused = REPORTED[0], await cluster(wait_in_line=False)
KEPT[0].release()
return [reported, refused, await waiting]
""",
    )
    assert reported == "In queue: you are next, about 6 min"
    assert refused.startswith("No GPU is free, and wait_in_line=False. In queue: 1 before you")
    assert found["slots"][0]["uuid"] == gpu_uuid(1)


LIVE = """
import json, os, signal, time
import gpucluster
from gpucluster.cli.tables import cluster_card
from gpucluster.sharing.node import read_node

cluster = gpucluster.create("cuda")
claims = len(read_node().claims)
waiting = gpucluster.create("cuda", wait=False)
while (progress := waiting.model.progress) is None or progress.step != "line":
    time.sleep(0.05)
card, line = cluster_card(cluster.model), waiting.model.progress.message
waiting.stop()
left_the_line = len(read_node().line)
os.kill(cluster.model.pid, signal.SIGKILL)
while read_node().claims:
    time.sleep(0.05)
third = gpucluster.create("cuda")
third.stop()
print(json.dumps([claims, card, line, left_the_line, len(read_node().claims)]))
"""


def test_slots_are_shown_and_released_at_any_end(machine, tmp_path):
    machine.write([gpu(1, total=40960)])
    site = tmp_path / "site.yaml"
    site.write_text("sharing:\n  slots_per_gpu: 1\n  per_user: {walltime: 02:00:00}\n")
    environment = {"GPUCLUSTER_SITE": str(site), "GPUCLUSTER_DIR": str(tmp_path / "registry")}
    claims, card, line, left, after = json.loads(machine.run(LIVE, **environment).splitlines()[-1])
    assert claims == 1
    assert "GPU:      GPU 0, whole GPU (not enforced: other programs can use it too), 40 GiB" in card
    assert "Ends:     in 1 h 59 min" in card
    assert line.startswith("In queue: you are next, about ")
    assert (left, after) == (0, 0), "who stops leaves the line, and a claim ends with its cluster"
