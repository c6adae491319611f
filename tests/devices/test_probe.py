"""``probe_gpu``: NVML first, then CUDA in a process of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nvml.machine import FakeMachine, gpu

PROBE = """
import dataclasses, json, sys
from gpucluster.devices import probe_gpu
probe = probe_gpu(timeout_seconds=float(sys.argv[1]) if len(sys.argv) > 1 else 60)
loaded = "libcuda" in open("/proc/self/maps").read()
print(json.dumps(dataclasses.asdict(probe) | {"loaded": loaded}))
"""


def probe(machine: FakeMachine, program: str = PROBE, **environment: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(machine.run(program, **environment))
    assert answer.pop("loaded") is False, "CUDA must never be loaded by the process that asks"
    return answer


def test_usable(machine: FakeMachine) -> None:
    machine.write([gpu(1), gpu(2)])
    assert probe(machine, FAKE_CUDA_COUNT="2") == {
        "usable": True, "code": "ok", "device_count": 2, "reason": "2 GPUs can be used, 2 of them idle.",
    }  # fmt: skip


def test_nvml_says_no(machine: FakeMachine) -> None:
    machine.write(["fail nvmlInitWithFlags 9", gpu(1)])
    answer = probe(machine)
    assert (answer["usable"], answer["code"]) == (False, "no_driver")


def test_hidden(machine: FakeMachine) -> None:
    machine.write([gpu(1)])
    answer = probe(machine, CUDA_VISIBLE_DEVICES="-1")
    assert (answer["usable"], answer["code"]) == (False, "hidden")


@pytest.mark.parametrize(
    ("code", "words"),
    [("100", "finds no GPU"), ("803", "different versions"), ("802", "fabric manager"), ("12345", "code 12345")],
)
def test_cuda_says_no(machine: FakeMachine, code: str, words: str) -> None:
    machine.write([gpu(1)])
    answer = probe(machine, FAKE_CUDA_INIT=code)
    assert (answer["usable"], answer["code"]) == (False, "cuda_error")
    assert words in answer["reason"] and answer["reason"].endswith("clusters use CPU workers.")


def test_cuda_finds_no_device(machine: FakeMachine) -> None:
    machine.write([gpu(1)])
    assert probe(machine, FAKE_CUDA_COUNT="0")["usable"] is False


def test_cuda_hangs(machine: FakeMachine) -> None:
    machine.write([gpu(1)])
    program = PROBE.replace("sys.argv[1]", "1").replace("len(sys.argv) > 1", "True")
    answer = probe(machine, program, FAKE_CUDA_SLEEP="60")
    assert (answer["usable"], answer["code"]) == (False, "timeout")


def test_cuda_driver_is_not_installed(machine: FakeMachine, tmp_path: Any) -> None:
    machine.write([gpu(1)])
    only_nvml = tmp_path / "only-nvml"
    only_nvml.mkdir()
    (only_nvml / "libnvidia-ml.so.1").symlink_to(machine.libraries / "libnvidia-ml.so.1")
    answer = probe(machine, LD_LIBRARY_PATH=str(only_nvml))
    assert (answer["usable"], answer["code"]) == (False, "no_cuda")
    assert "libcuda.so.1" in answer["reason"]
