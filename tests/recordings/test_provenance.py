"""Recordings name real GPUs and mark simulated ones."""

from __future__ import annotations

from typing import Any

import pytest
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.local import LocalSpec
from gpucluster.protocol.models import ClusterModel, ClusterState, DeviceModel, HostDevices, Idle, Versions, Wanted
from gpucluster.protocol.recordings import Recording
from gpucluster.protocol.telemetry import TelemetrySample
from gpucluster.recordings import line_recorder as module
from gpucluster.recordings.line_recorder import provenance
from pydantic import ValidationError

UUIDS = [f"GPU-{number:08x}-1111-2222-3333-444444444444" for number in range(2)]
AT = "2026-11-20T14:03:05.000Z"


def recorded(
    names: list[str | None],
    monkeypatch: Any,
    *,
    driver: str | None = "580.1",
    spec: CudaSpec | None = None,
    **changes: Any,
) -> Recording:
    """Return the header of a recording of two GPU workers on a machine with GPUs of these names."""
    devices = [DeviceModel(uuid=UUIDS[place], index=place, name=name) for place, name in enumerate(names)]
    host = HostDevices(available=True, message="2 GPUs.", code="ok", driver_version=driver, devices=devices)
    monkeypatch.setattr(module, "host_devices", lambda: host)
    model = ClusterModel(
        id="0123abcd", name="wire", backend="cuda", has_gpus=True, state=ClusterState.RUNNING, wanted=Wanted(),
        idle=Idle(), python="/usr/bin/python3", created_at=AT, spec=spec or CudaSpec(),
        versions=Versions(gpucluster="0.1.0", python="3.12.1", distributed="2026.7.1", dask_cuda="26.10.0"),
    )  # fmt: skip
    fields = {"id": "0123abcd", "at": AT, "workers": UUIDS, "device": UUIDS, **changes}
    sample = TelemetrySample(**fields)
    return provenance(model, sample, title="A test", note=None, recorded_at=AT)


def test_real_gpus_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    header = recorded(["NVIDIA H200", "NVIDIA H200"], monkeypatch)
    assert header.label == "Recorded on 2 × NVIDIA H200 at 2026-11-20 14:03 UTC — not a live cluster"
    assert (header.backend, header.driver, header.n_workers, header.simulated) == ("cuda", "580.1", 2, False)
    assert header.versions.model_dump() == {"gpucluster": "0.1.0", "dask": "2026.7.1", "rapids": "26.10.0"}
    one = recorded(["NVIDIA H200", None], monkeypatch, workers=UUIDS[:1], device=UUIDS[0])
    assert one.label == "Recorded on NVIDIA H200 at 2026-11-20 14:03 UTC — not a live cluster"


def test_a_cluster_without_workers_names_the_gpus_it_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    header = recorded(["NVIDIA H200", "NVIDIA L4"], monkeypatch, workers=[], device=None)
    assert (header.gpus, header.simulated, header.n_workers) == (["NVIDIA H200", "NVIDIA L4"], False, 0)
    chosen = recorded(["NVIDIA H200", "NVIDIA L4"], monkeypatch, spec=CudaSpec(devices=[1]), workers=[], device=None)
    assert (chosen.gpus, chosen.simulated) == (["NVIDIA L4"], False)
    none = recorded([], monkeypatch, workers=[], device=None)
    assert (none.gpus, none.simulated) == ([], True)


def test_devices_are_found_by_uuid_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    header = recorded(["NVIDIA H200", "NVIDIA L4"], monkeypatch, device=[uuid[:12] for uuid in UUIDS])
    assert header.gpus == ["NVIDIA H200", "NVIDIA L4"]


@pytest.mark.parametrize(
    ("names", "changes"),
    [
        (["Fake A16", "Fake A16"], {}), (["NVIDIA H200"], {}), ([], {}), ([None, None], {}),
        (["NVIDIA H200", "NVIDIA H200"], {"driver": None}), (["NVIDIA H200", "NVIDIA H200"], {"device": None}),
    ],
)  # fmt: skip
def test_unknown_device_is_simulated(names, changes, monkeypatch):
    header = recorded(names, monkeypatch, **changes)
    assert header.label == "Simulated: no real GPU. Recorded at 2026-11-20 14:03 UTC — not a live cluster"


def test_cpu_workers_ask_for_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "host_devices", lambda: pytest.fail("not needed"))
    model = ClusterModel(
        id="0123abcd", name="wire", backend="local", state=ClusterState.RUNNING, wanted=Wanted(), idle=Idle(),
        python="/usr/bin/python3", created_at=AT, spec=LocalSpec(),
    )  # fmt: skip
    sample = TelemetrySample(id="0123abcd", at=AT, workers=["0"])
    header = provenance(model, sample, title="A test", note=None, recorded_at=AT)
    assert header.label == "Recorded on CPU workers at 2026-11-20 14:03 UTC — not a live cluster"
    assert header.driver is None


def test_a_header_cannot_claim_gpus_without_naming_them() -> None:
    with pytest.raises(ValidationError, match="names its GPUs"):
        Recording(title="x", recorded_at=AT, backend="cuda", n_workers=1, simulated=False)


def test_a_header_arrives_as_it_was_sent() -> None:
    header = Recording(title="x", recorded_at=AT, backend="cuda", gpus=["A"], n_workers=1, simulated=False, note="y")
    assert Recording.model_validate_json(header.model_dump_json()) == header
    assert Recording.model_validate_json(header.model_dump_json(exclude_none=True)) == header
