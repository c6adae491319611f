"""GPU clusters that are created at the same moment do not choose the same idle GPU."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from gpucluster.client.control import Control
from nvml.machine import FakeMachine, gpu, gpu_uuid

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")

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
import json, os, pathlib
import gpucluster
from gpucluster.sharing.claims import NodeClaims

claims = NodeClaims()
with claims.choosing():
    claims.claim([os.environ["CLAIMED"]])
cluster = gpucluster.create("cuda", n_workers=1)
print(json.dumps([worker.device for worker in cluster.model.workers]))
cluster.stop()
"""


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    """Registry of the test; nothing in it goes on after a failure."""
    yield tmp_path / "registry"
    control = Control(tmp_path / "registry")
    for model in control.list():
        control.stop(model.id)


def test_each_gets_a_gpu_of_its_own(machine: FakeMachine) -> None:
    # The driver library in the text file does not notice workers: all GPUs look idle for ever.
    machine.write([gpu(1), gpu(2), gpu(3)])
    chosen = json.loads(machine.run(PREFLIGHTS).splitlines()[-1])
    assert sorted(chosen[:3]) == [gpu_uuid(1), gpu_uuid(2), gpu_uuid(3)]
    assert chosen[3] == gpu_uuid(1), "where all are claimed, they are shared"
    assert chosen[4] == gpu_uuid(3), "what was asked for is given, claimed or not"


def test_a_cluster_leaves_the_gpu_to_whom_has_claimed_it(machine: FakeMachine, directory: Path) -> None:
    machine.write([gpu(1), gpu(2)])
    environment = {"GPUCLUSTER_DIR": str(directory), "CLAIMED": gpu_uuid(1)}
    assert json.loads(machine.run(CREATE, **environment).splitlines()[-1]) == [gpu_uuid(2)]
