"""What lesson 11 says that dask-cuda and RMM take is what the real ones take."""

import ast
import importlib
import inspect
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from gpucluster.lessons.course.lesson_11_gpu_memory import options as daskcuda
from gpucluster.lessons.course.lesson_11_gpu_memory.options import (
    ARGUMENTS,
    FLAGS,
    REMOVED,
    VALUES,
    call_problems,
    command_problems,
)

# The lesson describes this release.
dask_cuda = pytest.importorskip("dask_cuda", minversion="26.10", reason="needs dask-cuda 26.10")
worker = importlib.import_module("dask_cuda.cli").worker
LocalCUDACluster = dask_cuda.LocalCUDACluster
STUBS = Path(sys.prefix) / "rmm" / "rmm" / "pylibrmm" / "memory_resource" / "_memory_resource.pyi"


def test_the_options_are_those_of_the_command():
    values, flags = set(), set()
    for option in worker.params:
        names = {name for name in (*option.opts, *option.secondary_opts) if name.startswith("--")}
        (flags if getattr(option, "is_flag", False) else values).update(names)
    assert flags - {"--version", "--help"} == FLAGS
    assert values == VALUES
    assert not REMOVED & (values | flags)


def test_the_arguments_are_those_of_the_class():
    signature = inspect.signature(LocalCUDACluster.__init__).parameters
    assert set(signature) - {"self", "kwargs"} == ARGUMENTS
    assert dask_cuda.__version__.startswith(daskcuda.VERSION)


@pytest.mark.parametrize(
    "command",
    [
        "dask cuda worker tcp://127.0.0.1:1 --enable-jit-unspill",
        "dask cuda worker tcp://127.0.0.1:1 --enable-jit-unspill --rmm-async",
        "dask cuda worker tcp://127.0.0.1:1 --rmm-async=yes",
        "dask cuda worker tcp://127.0.0.1:1 --rmm-pool-size",
        "dask cuda worker tcp://127.0.0.1:1 --protocol tcp --no-dashboard --rmm-pool-size=1GB",
        "dask cuda worker tcp://127.0.0.1:1 --memory-limit 1GB --enable-cudf-spill",
    ],
)
def test_options_that_the_command_refuses_are_problems(command, monkeypatch):
    monkeypatch.setattr(worker, "callback", lambda **options: None)  # only the reading of the options
    refused = CliRunner().invoke(worker, command.split()[3:]).exit_code != 0
    assert bool(command_problems(command)) == refused


def test_unknown_option_is_taken_for_a_missing_address(monkeypatch):
    given: dict[str, object] = {}
    monkeypatch.setattr(worker, "callback", lambda **options: given.update(options))
    assert CliRunner().invoke(worker, daskcuda.OLD_COMMAND.split()[1:]).exit_code == 0
    assert given["scheduler"] == "--enable-jit-unspill"
    assert command_problems(daskcuda.OLD_COMMAND)


def test_calls_with_and_without_faults():
    card = 40 * 10**9
    assert call_problems({"CUDA_VISIBLE_DEVICES": "0,1", "protocol": "ucx", "rmm_pool_size": "30GB"}, card, 2) == []
    assert call_problems({"enable_cudf_spill": True, "rmm_async": True, "rmm_maximum_pool_size": 0.9}, card, 2) == []
    for call, words in (
        ({"jit_unspill": True}, "not an argument"),
        ({"rmm_async": True, "rmm_pool_size": "30GB"}, "FutureWarning"),
        ({"rmm_async": True, "rmm_managed_memory": True}, "cannot be combined"),
        ({"rmm_release_threshold": "1GB"}, "needs rmm_async"),
        ({"rmm_maximum_pool_size": "1GB"}, "ignored"),
        ({"rmm_pool_size": "40GB"}, "no room for the context"),
        ({"rmm_pool_size": 1.0}, "no room for the context"),
        ({"device_memory_limit": 1}, "means 1 byte"),
        ({"device_memory_limit": "1"}, "means 1 byte"),
        ({"device_memory_limit": "80%"}, "percent"),
        ({"CUDA_VISIBLE_DEVICES": "0,0"}, "different"),
        ({"CUDA_VISIBLE_DEVICES": "0,2"}, "different"),
    ):
        [problem] = call_problems(call, card, 2)
        assert words in problem


def test_rmm_has_what_the_lesson_calls():
    classes = {
        one.name: one for one in ast.parse(STUBS.read_text(encoding="utf-8")).body if isinstance(one, ast.ClassDef)
    }

    def arguments(name: str, method: str) -> list[str]:
        [found] = [one for one in classes[name].body if isinstance(one, ast.FunctionDef) and one.name == method]
        return [one.arg for one in found.args.args][1:]

    assert arguments("DeviceMemoryResource", "allocate")[:1] == ["nbytes"]
    assert arguments("DeviceMemoryResource", "deallocate")[:2] == ["ptr", "nbytes"]
    assert arguments("PoolMemoryResource", "__init__") == ["upstream_mr", "initial_pool_size", "maximum_pool_size"]
    assert arguments("PoolMemoryResource", "pool_size") == []
    assert arguments("TrackingResourceAdaptor", "get_allocated_bytes") == []
    members = {node.name for node in classes["StatisticsResourceAdaptor"].body if isinstance(node, ast.FunctionDef)}
    assert "allocation_counts" in members
    assert {"CudaMemoryResource", "CudaAsyncMemoryResource", "ManagedMemoryResource"} <= set(classes)
    assert "upstream_mr" in ast.unparse(classes["UpstreamResourceAdaptor"])
