"""Metrics for Prometheus, read by a strict parser of OpenMetrics; access to them."""

from gpucluster.protocol.models import ClusterModel, ClusterState, DeviceModel, HostDevices
from gpucluster.protocol.telemetry import TelemetrySample
from gpucluster.server.metrics import Families, cluster_families, gpu_families
from prometheus_client.core import Metric
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from tests.models import cluster_model


def parsed(text: str) -> dict[str, Metric]:
    assert text.endswith("# EOF\n")
    families = list(text_string_to_metric_families(text))
    assert len({family.name for family in families}) == len(families)
    return {family.name: family for family in families}


def value(families: dict[str, Metric], name: str, /, **labels: str) -> float:
    found = [sample for family in families.values() for sample in family.samples if sample.name == name]
    (one,) = [sample for sample in found if labels.items() <= sample.labels.items()]
    return float(one.value)


async def test_a_running_cluster(jp_fetch, running_cluster):
    # Workers that have just come have not reported all figures yet.
    told: dict[str, Metric] = {}
    while "gpucluster_worker_sent_bytes" not in told:
        response = await jp_fetch("gpucluster/api/metrics")
        told = parsed(response.body.decode())
    assert response.headers["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert value(told, "gpucluster_cluster_workers", cluster="shared") == len(running_cluster.workers)
    assert value(told, "gpucluster_cluster_state", cluster="shared", gpucluster_cluster_state="running") == 1
    assert value(told, "gpucluster_cluster_up", cluster="shared") == 1
    worker = running_cluster.workers[0].name
    memory = told["gpucluster_worker_memory_bytes"]
    assert (memory.type, memory.unit) == ("gauge", "bytes")
    assert value(told, "gpucluster_worker_memory_bytes", cluster="shared", worker=worker) > 10_000_000
    assert told["gpucluster_worker_sent_bytes"].type == "counter"


async def test_metrics_require_login(jp_fetch):
    response = await jp_fetch("gpucluster/api/metrics", headers={"Authorization": "token wrong"}, raise_error=False)
    assert response.code == 403
    assert b"gpucluster_" not in response.body


def metrics_of(*models: ClusterModel, samples: dict[str, TelemetrySample], host: HostDevices) -> dict[str, Metric]:
    families = Families([*cluster_families(models, samples), *gpu_families(host)])
    return parsed(generate_latest(families).decode())


def test_units_gaps_and_names_of_others():
    hostile = 'a"b\\c\nd'
    running = cluster_model("0000000a", name="gpus", state=ClusterState.RUNNING)
    ended = cluster_model("0000000b", name="gpus", state=ClusterState.FAILED)
    sample = TelemetrySample(
        id="0000000a", at="2026-11-21T10:00:00Z", workers=[hostile, "1"], cpu_percent=[150.0, None],
        sent_bytes=7, tasks={"no-worker": 2},
    )  # fmt: skip
    device = DeviceModel(uuid="GPU-1", index=0, name="H200", memory_used_bytes=5, utilization_percent=50, power_watts=9)
    lost = DeviceModel(uuid="GPU-unreadable-1", index=1, error="It is lost.")
    host = HostDevices(available=True, message="", code="ok", devices=[device, lost])
    found = metrics_of(running, ended, samples={running.id: sample}, host=host)
    assert value(found, "gpucluster_clusters", state="failed") == 1
    assert value(found, "gpucluster_worker_cpu_ratio", worker=hostile) == 1.5
    assert len(found["gpucluster_worker_cpu_ratio"].samples) == 1, "what is not measured has no sample"
    assert value(found, "gpucluster_worker_sent_bytes_total", worker="1") == 7
    assert value(found, "gpucluster_cluster_tasks", state="no-worker") == 2
    assert value(found, "gpucluster_gpu_info", uuid="GPU-1", name="H200", gpu="0") == 1
    assert value(found, "gpucluster_gpu_utilization_ratio", uuid="GPU-1") == 0.5
    assert [value(found, "gpucluster_gpu_up", uuid=uuid) for uuid in ("GPU-1", "GPU-unreadable-1")] == [1, 0]
    assert "gpucluster_worker_rmm_used_bytes" not in found
    for family in found.values():
        assert family.documentation.endswith(".")
        assert not family.unit or family.name.endswith(f"_{family.unit}")
