"""Models, events and errors arrive as sent; the schema, and the TypeScript types made from it."""

import subprocess
import sys
from pathlib import Path

import pytest
from gpucluster.backends.auto import AutoSpec
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.local import LocalSpec
from gpucluster.protocol import errors, models
from gpucluster.protocol.errors import ErrorModel, FieldError, GPUClusterError, error_from_model
from gpucluster.protocol.kinds import spec_union
from gpucluster.protocol.messages import Message, MessageCode
from gpucluster.protocol.spec import Adapt, parse_patch, parse_spec
from gpucluster.protocol.telemetry import PrefixProgress, TelemetryHistory, TelemetrySample, WorkerHistory
from gpucluster.site.presets import PRESETS
from pydantic import ValidationError

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = models.ClusterModel(
    id="0123abcd", name="wire", backend="local", state=models.ClusterState.SCALING,
    messages=[
        Message.of(MessageCode.CHOICE, "No GPU here: clusters use CPU workers."),
        Message.of(MessageCode.FAILED, "1 of 3 workers could not start: OSError."),
    ],
    progress=models.Progress(step="scale", message="Scaling to 3 workers", done=1, total=3),
    wanted=models.Wanted(n_workers=3), n_workers=1,
    workers=[models.WorkerModel(name="0", address="tls://127.0.0.1:1", pid=1, n_threads=2, memory_limit_bytes=2**30)],
    scheduler_address="tls://127.0.0.1:2", dashboard_path="gpucluster/dashboard/0123abcd/status", n_clients=1,
    idle=models.Idle(timeout_seconds=60, idle_since="2026-01-01T00:00:00Z", stops_at="2026-01-01T00:01:00Z"),
    pid=3, python="/usr/bin/python3",
    versions=models.Versions(gpucluster="0.1.0", python="3.11.7", distributed="2026.8.0"),
    created_at="2026-01-01T00:00:00.000Z", running_at="2026-01-01T00:00:01.000Z", start_seconds=0.5,
    log_tail=["a line"], spec=LocalSpec(name="wire", n_workers=3, memory_limit=0.5),
)  # fmt: skip
SAMPLE = TelemetrySample(
    id="0123abcd", at="2026-01-01T00:00:00Z", workers=["0", "1"], age_seconds=[0.1, 0.2], memory_bytes=[1, None],
    memory_limit_bytes=2, tier_disk_bytes=[0, None], cpu_percent=[1.5, None], n_threads=1, processing=[0, 3],
    device=[None, "GPU-1"], device_error=[None, "This GPU is lost."], vram_used_bytes=[None, 5],
    gpu_utilization_percent=[None, 7.5], rmm_pool_bytes=[None, 8], sent_bytes=[2**53, 0], tasks={"memory": 3},
    progress=[PrefixProgress(prefix="inc", in_memory=3)],
)  # fmt: skip
HISTORY = TelemetryHistory(
    id="0123abcd", at="2026-01-01T00:00:00Z", seconds=[-1.0, 0.0], cpu_percent=[None, 1.5], memory_bytes=[1, 2],
    worker_seconds=[0.0], workers={"0": WorkerHistory(cpu_percent=[1.5], memory_bytes=[None])},
)  # fmt: skip
PROCESS = models.DeviceProcess(pid=1, user="me", cluster="wire")
GPU = models.DeviceModel(uuid="GPU-1", index=0, processes=[PROCESS])
DEVICES = models.HostDevices(available=True, message="1 GPU.", code="ok", devices=[GPU])
EVENTS = [
    models.Hello(clusters=[CLUSTER]), models.ClusterChanged(cluster=CLUSTER), models.ClusterRemoved(id="0123abcd"),
    models.Telemetry(sample=SAMPLE),
]  # fmt: skip


@pytest.mark.parametrize("model", [CLUSTER, SAMPLE, HISTORY, DEVICES, *PRESETS], ids=lambda model: type(model).__name__)
def test_a_model_arrives_as_it_was_sent(model):
    assert type(model).model_validate_json(model.model_dump_json()) == model


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_an_event_arrives_as_it_was_sent(event):
    assert models.EVENT.validate_json(event.model_dump_json()) == event


def test_constant_column_is_one_value():
    assert SAMPLE.column("memory_limit_bytes") == [2, 2]
    assert SAMPLE.column("vram_used_bytes") == [None, 5]
    assert SAMPLE.column("vram_total_bytes") == [None, None], "not measured"
    assert "vram_total_bytes" not in SAMPLE.model_dump_json(exclude_none=True)


@pytest.mark.parametrize(
    "spec",
    [
        LocalSpec(memory_limit=None, idle_timeout_seconds=None, protocol="tcp"),
        AutoSpec(name="a", memory_limit=2**30),
        CudaSpec(devices=["GPU-12345678"], rmm_pool_size=0.5, enable_cudf_spill=True, cudf_spill_stats=2),
    ],
    ids=lambda spec: spec.backend,
)
def test_a_spec_arrives_as_it_was_sent(spec):
    assert parse_spec(spec.model_dump_json()) == spec


@pytest.mark.parametrize(
    "patch", [{"n_workers": 0}, {"adapt": {"minimum": 0, "maximum": 4}}, {"idle_timeout_seconds": 0}]
)
def test_patch_contains_given_fields_only(patch):
    assert parse_patch(patch).model_dump(exclude_unset=True) == patch


def test_a_change_of_a_model_needs_a_new_model():
    with pytest.raises(ValidationError):
        CLUSTER.name = "other"


ALL_ERRORS = [item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, GPUClusterError)]


@pytest.mark.parametrize("kind", ALL_ERRORS, ids=lambda kind: kind.code)
def test_error_keeps_its_class(kind):
    raised = kind("What happened. What to do.", fields=[FieldError(field="n_workers", message="must be less")])
    arrived = error_from_model(ErrorModel.model_validate_json(raised.model().model_dump_json()))
    assert type(arrived) is kind
    assert (arrived.message, arrived.fields, str(arrived)) == (raised.message, raised.fields, raised.message)


def test_each_error_has_a_unique_code_and_an_error_status():
    assert len({kind.code for kind in ALL_ERRORS}) == len(ALL_ERRORS) > 10
    assert all(400 <= kind.http_status <= 599 and kind.exit_code > 0 for kind in ALL_ERRORS)


def test_unknown_error_keeps_its_message():
    arrived = error_from_model({"code": "from_the_future", "message": "Something new."})
    assert type(arrived) is GPUClusterError
    assert arrived.message == "Something new."


@pytest.mark.parametrize("model", [LocalSpec, CudaSpec, AutoSpec], ids=lambda model: model.__name__)
def test_the_schema_draws_a_form(model):
    properties = model.model_json_schema()["properties"]
    assert set(properties) == set(model.model_fields)
    for name, field in properties.items():
        assert field["title"] and field["description"], name
        assert name == "backend" or (field["group"] and isinstance(field["advanced"], bool)), name
        default = model.model_fields[name].get_default(call_default_factory=True)
        assert field.get("default", None) == (default or None if isinstance(default, list) else default), name
    assert properties["memory_limit"]["anyOf"][0]["x-gpucluster-widget"] == "memory"


def test_schema_discriminates_kinds_by_backend():
    schema = spec_union().json_schema()
    assert schema["discriminator"]["propertyName"] == "backend"
    assert set(schema["discriminator"]["mapping"]) == {
        "local", "cuda", "auto", "slurm", "ssh", "mpi", "kubernetes", "gateway", "existing",
    }  # fmt: skip


def test_adaptive_bounds_may_be_equal():
    assert parse_patch({"adapt": {"minimum": 2, "maximum": 2}}).adapt == Adapt(minimum=2, maximum=2)


@pytest.mark.skipif(not (ROOT / "node_modules").exists(), reason="needs the npm packages: run 'jlpm install'")
def test_the_checked_in_types_are_fresh() -> None:
    command = [sys.executable, str(ROOT / ".ci" / "protocol_types.py"), "--check"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
