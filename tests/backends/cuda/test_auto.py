"""What the kind 'auto' chooses, and the reason it gives."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gpucluster.backends.auto import AutoSpec, decide
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.local import LocalSpec
from gpucluster.devices import GPUProbe
from nvml.machine import FakeMachine, gpu

GOOD = GPUProbe(True, "2 GPUs can be used, 2 of them idle.", "ok", 2)
NONE = GPUProbe(False, "No GPU here: clusters use CPU workers.", "no_library")


def test_a_usable_gpu() -> None:
    spec, reason = decide(AutoSpec(name="a", n_workers=2, memory_limit="1 GiB"), GOOD, devices=2, dask_cuda=True)
    assert spec == CudaSpec(name="a", n_workers=2, memory_limit="1 GiB")
    assert reason == GOOD.reason


def test_no_gpu() -> None:
    assert decide(AutoSpec(n_workers=3), NONE, devices=0, dask_cuda=True) == (LocalSpec(n_workers=3), NONE.reason)


def test_a_gpu_without_dask_cuda() -> None:
    spec, reason = decide(AutoSpec(), GOOD, devices=2, dask_cuda=False)
    assert spec == LocalSpec() and "pip install 'gpucluster[gpu-cu13]'" in reason


def test_more_workers_than_gpus() -> None:
    spec, reason = decide(AutoSpec(n_workers=3), GOOD, devices=2, dask_cuda=True)
    assert spec == LocalSpec(n_workers=3) and reason.startswith("3 workers were asked for")


CHOOSE = """
import asyncio, json
from gpucluster.backends.auto import choose
from gpucluster.backends.auto import AutoSpec
spec, reason = asyncio.run(choose(AutoSpec()))
print(json.dumps([spec.backend, reason]))
"""


def choose(machine: FakeMachine, **environment: str) -> Any:
    return json.loads(machine.run(CHOOSE, **environment))


def test_real_machines_without_a_usable_gpu(machine: FakeMachine) -> None:
    machine.write([gpu(1)])
    assert choose(machine, CUDA_VISIBLE_DEVICES="") == [
        "local", "CUDA_VISIBLE_DEVICES='' hides all GPUs: clusters use CPU workers.",
    ]  # fmt: skip
    backend, reason = choose(machine, FAKE_CUDA_INIT="999")
    assert backend == "local" and "cannot be used" in reason


def test_real_machine_with_gpus(machine: FakeMachine) -> None:
    pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")
    machine.write([gpu(1)])
    assert choose(machine) == ["cuda", "1 GPU can be used; it is idle."]
