"""Recordings contain the viewers' stream without user and host names, in a small file, and name real GPUs."""

import errno
import getpass
import gzip
import json
import os
import platform
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.models import DeviceModel, HostDevices, Telemetry, Versions
from gpucluster.protocol.recordings import Recording
from gpucluster.protocol.telemetry import TelemetrySample
from gpucluster.recordings import writing
from gpucluster.recordings.reading import read_recording
from gpucluster.recordings.writing import WITHHELD, Pseudonyms, RecordingFull, RecordingWriter, provenance, target_of
from pydantic import ValidationError

from tests.models import cluster_model

UUIDS = [f"GPU-{number:08x}-1111-2222-3333-444444444444" for number in (0xABCD, 0x1234)]
HEADER = Recording(
    title="A test", recorded_at="2026-11-20T14:03:00.000Z", backend="cuda", gpus=["NVIDIA H200"] * 2,
    driver="580.1", n_workers=2, simulated=False,
)  # fmt: skip


def event(number: int = 0, **changes: Any) -> dict[str, Any]:
    sample = {
        "id": "0123abcd", "at": f"2026-11-20T14:{3 + number // 60:02}:{number % 60:02}.000Z", "workers": UUIDS,
        "n_threads": 1, "age_seconds": [0.1, 0.2], "cpu_percent": [12, None], "device": UUIDS,
        "vram_total_bytes": 150_750_000_000, "vram_used_bytes": [1_000_000 * number, 2_000_000],
        "tasks": {"processing": 2}, "progress": [{"prefix": "lloyd", "processing": 2}], **changes,
    }  # fmt: skip
    return {"kind": "telemetry", "sample": sample}


def written(path: Path, *events: dict[str, Any]) -> list[dict[str, Any]]:
    writer = RecordingWriter(path, HEADER)
    for one in events:
        writer.add(json.dumps(one).encode())
    writer.close()
    content = path.read_bytes()
    lines = (gzip.decompress(content) if path.suffix == ".gz" else content).splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", ["a.gpucluster.jsonl", "a.gpucluster.jsonl.gz"])
def test_the_stream_is_kept_as_it_was(tmp_path: Path, name: str) -> None:
    header, first, second = written(tmp_path / name, event(1), event(2))
    assert Recording.model_validate(header) == HEADER
    kept = {key: value for key, value in first["sample"].items() if key not in {"id", "workers", "device"}}
    sent = {key: value for key, value in event(1)["sample"].items() if key not in {"id", "workers", "device"}}
    assert kept == sent
    assert Telemetry.model_validate(second).sample.column("vram_used_bytes") == [2_000_000, 2_000_000]
    assert [path.name for path in tmp_path.iterdir()] == [name], "no other file is left"


def test_packed_file_has_no_name_or_time(tmp_path: Path) -> None:
    written(tmp_path / "private.jsonl.gz", event())
    content = (tmp_path / "private.jsonl.gz").read_bytes()
    assert b"private" not in content
    assert content[4:8] == b"\0\0\0\0"


def test_devices_and_workers_keep_their_pseudonyms(tmp_path: Path) -> None:
    _, first, second = written(tmp_path / "a.jsonl", event(1), event(2, workers=UUIDS[::-1], device=UUIDS[::-1]))
    one, other = "GPU-00000001-0000-0000-0000-000000000000", "GPU-00000002-0000-0000-0000-000000000000"
    assert first["sample"]["workers"] == first["sample"]["device"] == [one, other]
    assert second["sample"]["workers"] == [other, one]


def test_no_user_or_host_is_written(tmp_path: Path) -> None:
    private = [
        "0123abcd", *UUIDS, "/home/ada/secret", "ada", "tls://10.1.2.3:8786", "10.1.2.3", "node17", "s3cr3ttoken",
    ]  # fmt: skip
    telling = event(
        1, workers=["tls://10.1.2.3:8786", "node17"], device=UUIDS[0],
        device_error=[f"The GPU {UUIDS[1]} is lost.", "No such file: /home/ada/secret"],
        progress=[{"prefix": "read-/home/ada/secret"}, {"prefix": "ada@node17"}, {"prefix": "lloyd"}],
    )  # fmt: skip
    lines = written(tmp_path / "a.jsonl", telling)
    text = json.dumps(lines)
    assert [word for word in private if word in text] == []
    sample = lines[1]["sample"]
    assert sample["workers"] == ["worker-1", "worker-2"]
    assert sample["device_error"] == ["The GPU GPU-00000002-0000-0000-0000-000000000000 is lost.", WITHHELD]
    assert [kind["prefix"] for kind in sample["progress"]] == [WITHHELD, WITHHELD, "lloyd"]


def test_user_and_host_names_are_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "lovelace")
    monkeypatch.setattr(platform, "node", lambda: "analytical.example")
    names = Pseudonyms()
    assert names.text("job of lovelace") == names.text("Analytical-engine") == WITHHELD
    assert names.text("lovelaces_method") == "lovelaces_method", "another word"
    assert names.text("x" * 500) == names.text("a\x1b[31m") == names.text("a\u202eb") == WITHHELD


@pytest.mark.parametrize("user", ["jane.doe", "josé", "ada", "João"])
def test_names_with_spaces_or_other_letters_are_withheld(monkeypatch: pytest.MonkeyPatch, user: str) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: user)
    monkeypatch.setattr(platform, "node", lambda: "gpu-box-01.example")
    monkeypatch.setenv("HOME", f"/home/{user}")
    names = Pseudonyms()
    for told in (user, f"train_{user}", f"{user.upper()}-model", "load_gpu-box-01", "gpu-box-01"):
        assert names.text(told) == WITHHELD, told
    if user == "jane.doe":
        assert names.text("doe-eyed") == WITHHELD, "a part of it"
    for kept in ("gpu_sum", "adagrad", "box-plot", "rechunk-split", "joseph"):
        assert names.text(kept) == kept


def test_every_text_column_is_filtered() -> None:
    """Each new column with text needs a decision here whether it is private."""
    texts = {
        name
        for name, field in TelemetrySample.model_fields.items()
        if "str" in str(field.annotation) and name not in {"tasks", "progress"}
    }
    assert texts == {"id", "at", "workers", "host", "device", "device_error"}
    told = Pseudonyms().sample({"workers": ["0", "1", "2"], "host": ["gpu-box", "other", "gpu-box"]})
    assert told["host"] == ["node1", "node2", "node1"]


def test_a_full_recording_ends_and_can_be_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MOST_SAMPLES", 3)
    writer = RecordingWriter(tmp_path / "a.jsonl.gz", HEADER)
    with pytest.raises(RecordingFull, match="it has reached the maximum length"):
        for number in range(10):
            writer.add(json.dumps(event(number)).encode())
    writer.close()
    assert len(read_recording(tmp_path / "a.jsonl.gz").samples) == 3


def test_recording_is_playable_after_a_crash(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "a.jsonl.gz", HEADER)
    for number in range(15):
        writer.add(json.dumps(event(number)).encode())
    session = read_recording(tmp_path / "a.jsonl.gz.part")
    assert len(session.samples) == 11
    assert session.message == "The file is truncated: everything after the first 11 samples is lost."
    with pytest.raises(InvalidRequest, match="another recording is writing it, or was interrupted"):
        RecordingWriter(tmp_path / "a.jsonl.gz", HEADER)
    writer.discard()
    assert list(tmp_path.iterdir()) == []


def test_ten_minutes_of_eight_gpus_are_small(tmp_path: Path) -> None:
    """The size of recordings in the documentation, with figures that change all the time."""
    devices = [f"GPU-{number:08x}-1111-2222-3333-444444444444" for number in range(8)]

    def busy(number: int) -> dict[str, Any]:
        moving = [(number * 7919 + device * 104_729) % 99_991 for device in range(8)]
        columns = ("vram_used_bytes", "vram_cluster_bytes", "rmm_used_bytes", "memory_bytes", "sent_bytes")
        figures = {name: [value * 1_000_000 for value in moving] for name in columns}
        return event(number, workers=devices, device=devices, age_seconds=[0.1] * 8, cpu_percent=[1] * 8, **figures)

    lines = written(tmp_path / "a.jsonl.gz", *(busy(number) for number in range(600)))
    assert len(lines) == 601
    assert (tmp_path / "a.jsonl.gz").stat().st_size < 300_000


@pytest.mark.parametrize(
    ("name", "expected"), [("a", "a.gpucluster.jsonl.gz"), ("a.jsonl", "a.jsonl"), ("b.c.jsonl.gz", "b.c.jsonl.gz")]
)
def test_a_name_gets_an_ending(tmp_path: Path, name: str, expected: str) -> None:
    assert target_of(tmp_path / name) == tmp_path / expected


@pytest.mark.parametrize(
    "name", ["", " ", "a\0.jsonl", "a\n.jsonl", "nowhere/a.jsonl", "a.txt", "x" * 300 + ".jsonl", ".", "new/"]
)
def test_unwritable_name_is_refused(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidRequest, match=r"^FILE: .*\.$"):
        target_of(name)
    assert list(tmp_path.iterdir()) == []


def test_only_recordings_are_replaced(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", event(1))
    assert target_of(tmp_path / "a.jsonl") == tmp_path / "a.jsonl"
    assert len(written(tmp_path / "a.jsonl", event(1), event(2))) == 3
    (tmp_path / "mine.jsonl").write_text('{"my": "data"}\n')
    with pytest.raises(InvalidRequest, match="exists and is not a recording"):
        target_of(tmp_path / "mine.jsonl")


@pytest.mark.parametrize("system", ["as it is", "without links", "without exchange"])
def test_file_created_meanwhile_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    if system == "without links":
        monkeypatch.setattr(os, "link", Mock(side_effect=PermissionError(errno.EPERM, "no links here")))
    if system == "without exchange":
        monkeypatch.setattr(writing, "exchange_names", lambda one, other: False)
    path, part = tmp_path / "a.jsonl", tmp_path / "a.jsonl.part"

    def recorded(*, private: bool) -> RecordingWriter:
        writer = RecordingWriter(path, HEADER, private=private)
        writer.add(json.dumps(event()).encode())
        return writer

    for private in (False, True):
        writer = recorded(private=private)
        path.write_text("precious")
        with pytest.raises(FileExistsError, match="the recording is"):
            writer.close()
        assert path.read_text() == "precious"
        assert len(part.read_text().splitlines()) == 2
        part.unlink()
        path.unlink()

    # An existing recording is replaced by the new recording only.
    recorded(private=False).close()
    recorded(private=False).close()
    writer = recorded(private=False)
    path.write_text("precious")
    with pytest.raises(FileExistsError, match="the recording is"):
        writer.close()
    assert path.read_text() == "precious"
    part.unlink()

    writer = recorded(private=False)
    path.unlink()
    writer.close()
    assert [one.name for one in tmp_path.iterdir()] == ["a.jsonl"]


GPUS = [f"GPU-{number:08x}-1111-2222-3333-444444444444" for number in range(2)]
AT = "2026-11-20T14:03:05.000Z"


def recorded(names, monkeypatch, *, driver="580.1", spec=None, **changes: Any) -> Recording:
    """Return the header of a recording of two GPU workers on a machine with GPUs of these names."""
    devices = [DeviceModel(uuid=GPUS[place], index=place, name=name) for place, name in enumerate(names)]
    host = HostDevices(available=True, message="2 GPUs.", code="ok", driver_version=driver, devices=devices)
    monkeypatch.setattr(writing, "host_devices", lambda: host)
    model = cluster_model(
        "0123abcd", backend="cuda", has_gpus=True, spec=spec or CudaSpec(),
        versions=Versions(gpucluster="0.1.0", python="3.12.1", distributed="2026.7.1", dask_cuda="26.10.0"),
    )  # fmt: skip
    sample = TelemetrySample(**{"id": "0123abcd", "at": AT, "workers": GPUS, "device": GPUS} | changes)
    return provenance(model, sample, title="A test", note=None, recorded_at=AT)


def test_real_gpus_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    header = recorded(["NVIDIA H200", "NVIDIA H200"], monkeypatch)
    assert header.label == "Recorded on 2 × NVIDIA H200 at 2026-11-20 14:03 UTC — not a live cluster"
    assert (header.backend, header.driver, header.n_workers, header.simulated) == ("cuda", "580.1", 2, False)
    assert header.versions.model_dump() == {"gpucluster": "0.1.0", "dask": "2026.7.1", "rapids": "26.10.0"}
    one = recorded(["NVIDIA H200", None], monkeypatch, workers=GPUS[:1], device=GPUS[0])
    assert one.label == "Recorded on NVIDIA H200 at 2026-11-20 14:03 UTC — not a live cluster"


def test_cluster_without_workers_names_usable_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    header = recorded(["NVIDIA H200", "NVIDIA L4"], monkeypatch, workers=[], device=None)
    assert (header.gpus, header.simulated, header.n_workers) == (["NVIDIA H200", "NVIDIA L4"], False, 0)
    chosen = recorded(["NVIDIA H200", "NVIDIA L4"], monkeypatch, spec=CudaSpec(devices=[1]), workers=[], device=None)
    assert (chosen.gpus, chosen.simulated) == (["NVIDIA L4"], False)
    none = recorded([], monkeypatch, workers=[], device=None)
    assert (none.gpus, none.simulated) == ([], True)


def test_devices_are_found_by_uuid_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    header = recorded(["NVIDIA H200", "NVIDIA L4"], monkeypatch, device=[uuid[:12] for uuid in GPUS])
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
    monkeypatch.setattr(writing, "host_devices", lambda: pytest.fail("not needed"))
    sample = TelemetrySample(id="0123abcd", at=AT, workers=["0"])
    header = provenance(cluster_model("0123abcd"), sample, title="A test", note=None, recorded_at=AT)
    assert header.label == "Recorded on CPU workers at 2026-11-20 14:03 UTC — not a live cluster"
    assert header.driver is None


def test_gpu_header_without_names_is_refused() -> None:
    with pytest.raises(ValidationError, match="names its GPUs"):
        Recording(title="x", recorded_at=AT, backend="cuda", n_workers=1, simulated=False)


def test_a_header_arrives_as_it_was_sent() -> None:
    header = Recording(title="x", recorded_at=AT, backend="cuda", gpus=["A"], n_workers=1, simulated=False, note="y")
    assert Recording.model_validate_json(header.model_dump_json()) == header
    assert Recording.model_validate_json(header.model_dump_json(exclude_none=True)) == header
