"""Packages of GPUs are found without being imported; what the kind 'auto' chooses, and why."""

from __future__ import annotations

import json
import re
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
from nvml.machine import FakeMachine, gpu


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


def test_importable_finds_installed_modules_only() -> None:
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


def test_missing_library_for_rmm_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
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


GOOD = GPUProbe(True, "2 GPUs can be used, 2 of them idle.", "ok", 2)
NONE = GPUProbe(False, "No GPU here: clusters use CPU workers.", "no_library")


@pytest.mark.parametrize(
    ("options", "probe", "dask_cuda", "kind", "why"),
    [
        ({"name": "a", "n_workers": 2, "memory_limit": "1 GiB"}, GOOD, True, CudaSpec, re.escape(GOOD.reason)),
        ({"n_workers": 3}, NONE, True, LocalSpec, re.escape(NONE.reason)),
        ({}, GOOD, False, LocalSpec, r".*pip install 'gpucluster\[gpu-cu13\]'.*"),
        ({"n_workers": 3}, GOOD, True, LocalSpec, "3 workers were requested.*"),
    ],
    ids=["a usable GPU", "no GPU", "no dask-cuda", "more workers than GPUs"],
)
def test_auto_decides_by_the_gpus(
    options: dict[str, Any], probe: GPUProbe, dask_cuda: bool, kind: Any, why: str
) -> None:
    spec, reason = decide(AutoSpec(**options), probe, devices=2 * probe.usable, dask_cuda=dask_cuda)
    assert spec == kind(**options) and re.fullmatch(why, reason)


CHOOSE = """
import asyncio, json
from gpucluster.backends.auto import AutoBackend, AutoSpec
spec, reason = asyncio.run(AutoBackend().choose(AutoSpec()))
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
