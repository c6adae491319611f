"""Results without a cluster, and a small cluster to measure."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gpucluster.bench.result import BenchResult, ClusterFacts, HostFacts, Measurement
from gpucluster.bench.target import Target, existing
from gpucluster.protocol.models import ClusterModel


@pytest.fixture(scope="module")
def target(shared_cluster: ClusterModel) -> Iterator[Target]:
    """Two workers of one thread each."""
    with existing(shared_cluster.id) as found:
        yield found


def measurement(**changes: Any) -> Measurement:
    facts: dict[str, Any] = {
        "workload": "kmeans", "title": "k-means", "size": "small", "parameters": {"rows": 500_000}, "n_workers": 2,
        "n_blocks": 4, "seconds": [1.0, 1.1, 1.2, 1.3, 1.4], "warm_up_seconds": 2.0, "prepare_seconds": 0.5,
        "amount": 5e6, "unit": "rows × iterations", "scales": True, "check": 1.5,
    }  # fmt: skip
    return Measurement(**(facts | changes))


@pytest.fixture
def make_result() -> Callable[..., BenchResult]:
    """``make_result(measurements, **changes of the cluster)``: an invented result."""

    def make(measurements: list[dict[str, Any]], **changes: Any) -> BenchResult:
        made = [measurement(**changes) for changes in measurements]
        facts: dict[str, Any] = {
            "name": "c", "backend": "local", "protocol": "tls", "threads_per_worker": 1, "memory_limit_bytes": 2**30,
            "n_workers": sorted({one.n_workers for one in made}),
        }  # fmt: skip
        host = HostFacts(count=1, n_workers=2, cpu_model="A CPU", cpus=2, memory_bytes=2**34, system="Linux")
        return BenchResult(
            started_at="2026-01-01T00:00:00+00:00", wall_seconds=1.0, cluster=ClusterFacts(**(facts | changes)),
            hosts=[host], versions={"numpy": "2.4"}, n_repeats=5, measurements=made,
        )  # fmt: skip

    return make
