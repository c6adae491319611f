"""What is found before a GPU cluster is started, on fake machines; and what dask-cuda is then given."""

from __future__ import annotations

import inspect
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from gpucluster.backends.auto import AutoSpec, decide
from gpucluster.backends.cuda import packages
from gpucluster.backends.cuda.packages import check_packages, check_platform, importable
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.local import LocalSpec
from gpucluster.devices import GPUProbe
from gpucluster.protocol.errors import MissingPackage, PreflightFailed
from gpucluster.protocol.spec import MachineSpec
from nvml.machine import FakeMachine, gpu, gpu_uuid, mig_slice, slice_uuid

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")
GIB = 2**30


@pytest.fixture
def two_gpus(machine: FakeMachine) -> FakeMachine:
    machine.write([gpu(1, total=40960), gpu(2, total=81920)])
    return machine


def test_defaults(two_gpus: FakeMachine, play: Any) -> None:
    plan = play("preflight")
    assert (plan["n_workers"], plan["maximum_workers"], plan["network"]) == (2, 2, "unix")
    assert plan["maximum_reason"] == "this cluster has 2 GPUs, one worker each"
    options = plan["options"]
    assert options["CUDA_VISIBLE_DEVICES"] == [gpu_uuid(1), gpu_uuid(2)]
    assert options["device_memory_limit"] == 32 * GIB
    assert "protocol" not in options, "sockets in a folder are up to SpecDeployment"


def test_every_option_of_the_spec_reaches_dask_cuda(two_gpus: FakeMachine, play: Any, tmp_path: Path) -> None:
    from dask_cuda import LocalCUDACluster

    logs = tmp_path / "logs"
    logs.mkdir(mode=0o700)
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in ("rmm", "cupy"):
        (packages / f"{name}.py").write_text("")
    plan = play(
        "preflight",
        devices=[1],
        threads_per_worker=3,
        memory_limit="2 GiB",
        device_memory_limit="50%",
        rmm_pool_size="25%",
        rmm_maximum_pool_size="50%",
        rmm_allocator_external_lib_list=["cupy"],
        rmm_log_directory=str(logs),
        pre_import=["json"],
        protocol="tls",
        environment={"PYTHONPATH": f"{Path(__file__).parent}:{packages}"},
    )
    expected = {
        "CUDA_VISIBLE_DEVICES": [gpu_uuid(2)],
        "n_workers": 1,
        "threads_per_worker": 3,
        "memory_limit": 2 * GIB,
        "device_memory_limit": 40 * GIB,
        "enable_cudf_spill": False,
        "cudf_spill_stats": 0,
        "protocol": "tls",
        "enable_tcp_over_ucx": None,
        "enable_infiniband": None,
        "enable_nvlink": None,
        "enable_rdmacm": None,
        "rmm_pool_size": 20 * GIB,
        "rmm_maximum_pool_size": 40 * GIB,
        "rmm_managed_memory": False,
        "rmm_async": False,
        "rmm_release_threshold": None,
        "rmm_allocator_external_lib_list": ["cupy"],
        "rmm_log_directory": str(logs),
        "rmm_track_allocations": True,
        "pre_import": ["json"],
    }
    assert plan["options"] == expected
    # The scratch directory comes from the context, where it is private; log_spilling does nothing in dask-cuda.
    parameters = set(inspect.signature(LocalCUDACluster.__init__).parameters) - {"self", "kwargs"}
    assert parameters - set(expected) == {"local_directory", "log_spilling"}
    # The supervisor sees to the scratch itself.
    elsewhere = {"backend", "devices", "interface", "wait_in_line", "scratch_limit"}
    ours = set(CudaSpec.model_fields) - set(MachineSpec.model_fields) - elsewhere
    assert ours <= set(expected)


def test_no_limits(two_gpus: FakeMachine, play: Any) -> None:
    options = play("preflight", memory_limit=None, device_memory_limit=None)["options"]
    assert (options["memory_limit"], options["device_memory_limit"]) == (None, None)


def test_an_interface(two_gpus: FakeMachine, play: Any) -> None:
    assert play("preflight", protocol="tcp", interface="lo")["options"]["interface"] == "lo"


def test_ucx_is_labelled_unencrypted(two_gpus: FakeMachine, play: Any, tmp_path: Path) -> None:
    (tmp_path / "distributed_ucxx.py").write_text("")
    environment = {"PYTHONPATH": f"{Path(__file__).parent}:{tmp_path}"}
    plan = play("preflight", protocol="ucx", interface="lo", enable_nvlink=True, environment=environment)
    assert plan["network"] == "open"
    assert [plan["options"][name] for name in ("protocol", "interface", "enable_nvlink")] == ["ucx", "lo", True]


@pytest.mark.parametrize(
    ("spec", "code", "field", "words"),
    [
        ({"n_workers": 3}, "preflight_failed", "n_workers", "only 2 GPUs can be used here"),
        ({"devices": [5]}, "no_usable_device", "devices", "There is no GPU 5 on this machine; it has 0, 1."),
        ({"devices": [slice_uuid(1)]}, "no_usable_device", "devices", "There is no GPU or MIG slice"),
        ({"rmm_pool_size": "1 GiB"}, "missing_package", "rmm_pool_size", "'rmm'"),
        ({"pre_import": ["no_such"]}, "missing_package", "pre_import", "'no_such'"),
        ({"device_memory_limit": "50 GiB"}, "preflight_failed", "device_memory_limit", "has 40 GiB in all"),
        (
            {"protocol": "tcp", "interface": "ib9"}, "preflight_failed", "interface",
            "This machine has no network interface 'ib9'; it has",
        ),
        ({"rmm_log_directory": "/tmp"}, "preflight_failed", "rmm_log_directory", "needs rmm_pool_size"),
    ],
)  # fmt: skip
def test_refusals(two_gpus: FakeMachine, play: Any, spec: dict[str, Any], code: str, field: str, words: str) -> None:
    answer = play("preflight", **spec)
    assert (answer["refused"], answer["fields"]) == (code, [field])
    assert words in answer["message"] and answer["message"].endswith(".")


def test_log_directories(two_gpus: FakeMachine, play: Any, tmp_path: Path) -> None:
    (tmp_path / "rmm.py").write_text("")
    environment = {"PYTHONPATH": f"{Path(__file__).parent}:{tmp_path}"}
    shared = tmp_path / "shared"
    shared.mkdir()
    os.chmod(shared, 0o777)
    for directory, words in ((shared, "Others may write to"), (tmp_path / "missing", "does not exist")):
        answer = play("preflight", rmm_async=True, rmm_log_directory=str(directory), environment=environment)
        assert words in answer["message"]


@pytest.mark.parametrize(
    ("lines", "environment", "code", "words"),
    [
        (["fail nvmlInitWithFlags 9"], {}, "no_usable_device", "not loaded"),
        ([gpu(1)], {"CUDA_VISIBLE_DEVICES": "-1"}, "no_usable_device", "hides all GPUs"),
        ([gpu(1)], {"FAKE_CUDA_INIT": "803"}, "no_usable_device", "different versions"),
        ([gpu(1, mig=1)], {}, "no_usable_device", "no slices"),
    ],
)
def test_machines_without_a_usable_gpu(
    machine: FakeMachine, play: Any, lines: list[str], environment: dict[str, str], code: str, words: str
) -> None:
    machine.write(lines)
    answer = play("preflight", environment={"PYTHONPATH": str(Path(__file__).parent)} | environment)
    assert answer["refused"] == code and words in answer["message"]


def test_hidden_and_divided_gpus(machine: FakeMachine, play: Any) -> None:
    machine.write([gpu(1), mig_slice(1), gpu(2)])
    assert slice_uuid(1) in play("preflight", devices=[0])["message"]
    here = {"PYTHONPATH": str(Path(__file__).parent), "CUDA_VISIBLE_DEVICES": "1"}
    assert "hidden by CUDA_VISIBLE_DEVICES" in play("preflight", devices=[slice_uuid(1)], environment=here)["message"]
    assert play("preflight", environment=here)["options"]["CUDA_VISIBLE_DEVICES"] == [gpu_uuid(2)]


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


@pytest.fixture
def explosive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that must not be imported."""
    package = tmp_path / "explosive"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('imported')\n")
    (package / "part.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)


def test_importable_imports_nothing(explosive: None) -> None:
    assert importable("explosive") and importable("explosive.part")
    assert not importable("explosive.other") and not importable("explosive.part.deeper")
    assert "explosive" not in sys.modules


def test_importable_of_what_is_there_and_not() -> None:
    assert importable("gpucluster.protocol.spec") and importable("email.mime.text")
    assert not importable("no_such_package") and not importable("no_such_package.part")


@pytest.mark.parametrize(
    ("options", "field", "package"),
    [
        ({"rmm_pool_size": "1 GiB"}, "rmm_pool_size", "rmm"),
        ({"rmm_async": True}, "rmm_async", "rmm"),
        ({"rmm_managed_memory": True}, "rmm_managed_memory", "rmm"),
        ({"rmm_allocator_external_lib_list": ["torch"]}, "rmm_allocator_external_lib_list", "rmm"),
        ({"enable_cudf_spill": True}, "enable_cudf_spill", "cudf"),
        ({"protocol": "ucx"}, "protocol", "distributed-ucxx"),
        ({"pre_import": ["json", "no_such_package.part"]}, "pre_import", "no_such_package.part"),
    ],
)
def test_a_missing_package_is_named_with_its_option(options: dict[str, Any], field: str, package: str) -> None:
    if importable(package.replace("-", "_")):
        pytest.skip(f"{package} is installed here")
    with pytest.raises(MissingPackage) as raised:
        check_packages(CudaSpec(**options))
    assert [error.field for error in raised.value.fields] == [field]
    assert f"'{package}'" in raised.value.message


def test_a_missing_library_that_shall_use_rmm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "rmm.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    if importable("torch"):
        pytest.skip("torch is installed here")
    with pytest.raises(MissingPackage, match="'torch'.* pip install torch"):
        check_packages(CudaSpec(rmm_allocator_external_lib_list=["torch"]))


def test_defaults_need_nothing_more() -> None:
    check_packages(CudaSpec(pre_import=["json"]))


@pytest.mark.skipif(importable("dask_cuda"), reason="dask-cuda is installed here")
def test_without_dask_cuda() -> None:
    with pytest.raises(MissingPackage) as raised:
        check_platform()
    assert "pip install 'gpucluster[gpu-cu13]'" in raised.value.message


def test_another_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "LINUX", False)
    with pytest.raises(PreflightFailed, match="need Linux"):
        check_platform()
