"""Canaries: dask-cuda. They run where it is installed (``make cuda-tests``) and need no GPU."""

import inspect
import types

import pytest
from gpucluster.dask_internals import other_packages
from gpucluster.dask_internals.workers import memory
from gpucluster.dask_internals.workers.worker_state import rmm_pool_maximum

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")


def test_devices_of_a_worker(canary):
    with canary("dask_cuda.utils.cuda_visible_devices(i, visible)"):
        assert other_packages.visible_devices(1, ["0", "1", "2"]) == "1,2,0"


def test_affinity(canary):
    import dask_cuda.worker_common as common

    with canary("dask_cuda.worker_common.get_cpu_affinity, called as a name of that module"):
        original = common.get_cpu_affinity
        assert "get_cpu_affinity(" in inspect.getsource(common)
        with other_packages.affinity_of_any_device():
            assert common.get_cpu_affinity is not original
        assert common.get_cpu_affinity is original


def test_tiers(tmp_path, canary):
    from dask_cuda.device_host_file import DeviceHostFile

    with canary("DeviceHostFile.device_buffer, .host_buffer, .disk and .disk_func_path"):
        data = DeviceHostFile(device_memory_limit=10**9, memory_limit=1000, worker_local_directory=str(tmp_path))
        worker = types.SimpleNamespace(data=data, state=types.SimpleNamespace(tasks={}))
        assert memory.has_device_tiers(worker)
        assert memory.device_tier_limit_bytes(worker) == 10**9
        assert memory.tier_bytes(worker, "device") == 0
        for number in range(3):
            data[f"key-{number}"] = bytes(600)
        assert 0 < (memory.tier_bytes(worker, "host") or 0) <= 1000
        files = memory.spilled_files(worker)
        assert files
        assert all(__import__("os").path.getsize(file) >= 600 for file in files)
    with canary("DeviceHostFile.device_buffer and .host_buffer, dictionaries where there are no limits"):
        unlimited = DeviceHostFile(device_memory_limit=None, memory_limit=None, worker_local_directory=str(tmp_path))
        worker = types.SimpleNamespace(
            data=unlimited, state=types.SimpleNamespace(tasks={"key": types.SimpleNamespace(nbytes=600)})
        )
        unlimited["key"] = bytes(600)
        assert memory.tier_bytes(worker, "host") == 600
        assert memory.spilled_files(worker) is None


def test_pools(canary):
    from dask_cuda.plugins import RMMSetup

    with canary("RMMSetup.maximum_pool_size"):
        options = dict.fromkeys(inspect.signature(RMMSetup).parameters)
        plugin = RMMSetup(**options | {"maximum_pool_size": 4711})
        assert rmm_pool_maximum(types.SimpleNamespace(plugins={"one": plugin})) == 4711
