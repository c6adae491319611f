"""RMM's pools, spilling and exhausted memory on a real GPU."""

from typing import Any

import pytest
from gpucluster.protocol.errors import GPUClusterError

pytestmark = [pytest.mark.timeout(300), pytest.mark.filterwarnings("default")]
GIB = 2**30


def resource_chain() -> list[str]:
    """Return the memory resources of this worker, the outermost first."""
    import rmm

    found, resource = [], rmm.mr.get_current_device_resource()
    while resource is not None:
        found.append(type(resource).__name__)
        resource = getattr(resource, "upstream_mr", None)
    return found


def hold(gigabytes: float) -> int:
    """Allocate through RMM until the worker ends."""
    import builtins

    import rmm

    buffer = rmm.DeviceBuffer(size=int(gigabytes * GIB))
    builtins.held = [*getattr(builtins, "held", []), buffer]  # type: ignore[attr-defined]
    return buffer.size


def ones(n_bytes: int) -> Any:
    """Return an array of `n_bytes` on the device."""
    import cupy

    return cupy.ones(n_bytes // 8, dtype="f8")


@pytest.mark.parametrize(
    ("options", "resource"),
    [
        ({"rmm_pool_size": GIB, "rmm_track_allocations": False}, "PoolMemoryResource"),
        ({"rmm_pool_size": GIB}, "TrackingResourceAdaptor"),
        ({"rmm_async": True}, "CudaAsyncMemoryResource"),
        ({"rmm_managed_memory": True}, "ManagedMemoryResource"),
    ],
    ids=["pool", "tracked pool", "async", "managed"],
)
def test_worker_has_requested_memory_resource(cluster_with: Any, options: Any, resource: str) -> None:
    with cluster_with(**options) as (_, client):
        assert resource in client.submit(resource_chain, pure=False).result(timeout=120)
        assert client.submit(hold, 0.25, pure=False).result(timeout=120) == GIB // 4


def test_too_large_pool_is_refused_before_start(cluster_with: Any) -> None:
    with pytest.raises(GPUClusterError, match=r"(?i)pool|memory"), cluster_with(rmm_pool_size=1000 * GIB):
        pass


def test_task_exceeding_memory_fails_alone(cluster_with: Any) -> None:
    with cluster_with(rmm_pool_size=GIB, rmm_maximum_pool_size=GIB) as (cluster, client):
        with pytest.raises(MemoryError):
            client.submit(hold, 4, pure=False).result(timeout=120)
        assert client.submit(sum, [1, 2], pure=False).result(timeout=60) == 3
        assert cluster.n_workers == 1


def test_results_above_limit_spill_to_host(cluster_with: Any, wait_until: Any) -> None:
    with cluster_with(device_memory_limit=GIB) as (cluster, client):
        futures = [client.submit(ones, GIB // 2, pure=False) for _ in range(4)]
        assert client.submit(lambda *arrays: sum(int(one.size) for one in arrays), *futures).result(timeout=300)
        assert wait_until(lambda: cluster.telemetry().column("tier_host_bytes")[0]) >= GIB // 2


def test_cudf_moves_its_own_frames(cluster_with: Any) -> None:
    def fill() -> int:
        import cudf
        import cupy

        frames = [cudf.DataFrame({"x": cupy.ones(2**26)}) for _ in range(3)]
        from cudf.core.buffer.spill_manager import get_global_manager

        manager = get_global_manager()
        assert manager is not None, "spilling is off"
        spilled = manager.spill_to_device_limit(device_limit=2**20)
        assert float(frames[0].x.sum()) == 2**26, "it is read back"
        return int(spilled)

    with cluster_with(enable_cudf_spill=True, cudf_spill_stats=1) as (_, client):
        assert client.submit(fill, pure=False).result(timeout=180) > 2**29
