"""Any file is played as far as possible or refused with a message; figures become data frames."""

import gzip
import json
import math
import os
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from gpucluster import frame
from gpucluster.protocol.errors import InvalidRequest, RecordingNotFound, RecordingUnreadable
from gpucluster.protocol.recordings import RecordedSession, Recording
from gpucluster.protocol.telemetry import PrefixProgress, TelemetryHistory, TelemetrySample
from gpucluster.recordings import places, reading
from gpucluster.recordings.places import bundled_recordings, find_recording, recordings_below
from gpucluster.recordings.reading import (
    history_frame,
    playing_speed,
    position_text,
    read_header,
    read_recording,
    session_frame,
    times_of,
)
from gpucluster.supervisor.figures.sampler import History
from hypothesis import given, settings
from hypothesis import strategies as st

HEADER: dict[str, Any] = {
    "kind": "gpucluster-recording", "schema_version": 1, "title": "A test", "recorded_at": "2026-11-20T14:03:00Z",
    "backend": "local", "n_workers": 2, "simulated": False,
}  # fmt: skip


def event(number: int = 0, **changes: Any) -> dict[str, Any]:
    at = f"2026-11-20T14:03:{number:02}.000Z"
    sample = {"id": "recording", "at": at, "workers": ["0", "1"], "memory_bytes": [1, 2], **changes}
    return {"kind": "telemetry", "sample": sample}


def file_of(path: Path, *lines: Any, begin: bytes = b"", end: bytes = b"\n") -> Path:
    told = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    text = begin + b"\n".join(told) + end
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


@pytest.mark.parametrize(
    ("name", "more"),
    [("a.jsonl", {}), ("a.jsonl.gz", {}), ("a.jsonl", {"begin": b"\xef\xbb\xbf"}), ("a.jsonl", {"end": b""})],
    ids=["plain", "packed", "byte order mark", "no end of the last line"],
)
def test_a_recording_is_read(tmp_path: Path, name: str, more: dict[str, bytes]) -> None:
    session = read_recording(file_of(tmp_path / name, HEADER, event(1), event(2), **more))
    assert (session.recording.title, session.message, len(session.samples)) == ("A test", None, 2)
    assert session.label == "Recorded on CPU workers at 2026-11-20 14:03 UTC — not a live cluster"
    assert json.loads(session.encoded())["samples"][1] == event(2)["sample"]


NO_RECORDING = "a.jsonl is not a gpucluster recording."
NO_HEADER: list[tuple[Any, str]] = [
    (b"", "a.jsonl is not a gpucluster recording."),
    (b"<img src=x onerror=alert(1)>", NO_RECORDING),
    (b"\x00\xff\xfe", NO_RECORDING),
    (b"[" * 100_000, NO_RECORDING),
    (b"1" * 5000, NO_RECORDING),
    ([], NO_RECORDING),
    ({"kind": "telemetry"}, NO_RECORDING),
    ({**HEADER, "schema_version": 2}, "a.jsonl was recorded by a newer gpucluster; install"),
    ({**HEADER, "schema_version": 2, "more": 1}, "a.jsonl was recorded by a newer gpucluster; install"),
    ({**HEADER, "schema_version": "1"}, "a.jsonl is corrupted. schema_version: must be one of 1, not '1'."),
    ({**HEADER, "host": "node17"}, "a.jsonl is corrupted. host: is not an option of this request."),
    ({**HEADER, "title": "a\nb"}, "a.jsonl is corrupted. title: must be plain text in one line."),
    ({**HEADER, "title": "a\u202eb"}, "a.jsonl is corrupted. title: must be plain text in one line."),
    ({**HEADER, "title": "x" * 1000}, "a.jsonl is corrupted. title:"),
    ({**HEADER, "recorded_at": "yesterday"}, "a.jsonl is corrupted. recorded_at:"),
    ({**HEADER, "n_workers": -1}, "a.jsonl is corrupted. n_workers: must be at least 0, not -1."),
    ({**HEADER, "simulated": "no"}, "a.jsonl is corrupted. simulated: must be true or false, not 'no'."),
    ({**HEADER, "backend": "cuda"}, "a.jsonl is corrupted. a recording of GPU workers names its GPUs"),
]  # fmt: skip


@pytest.mark.parametrize(("header", "sentence"), NO_HEADER, ids=range(len(NO_HEADER)))
def test_other_files_are_refused(tmp_path: Path, header: Any, sentence: str) -> None:
    path = file_of(tmp_path / "a.jsonl", header, event(1))
    for read in (read_recording, read_header):
        with pytest.raises(RecordingUnreadable) as refusal:
            read(path)
        assert refusal.value.message.startswith(sentence)
        assert refusal.value.message.endswith(".")


DAMAGED: list[Any] = [
    b"<script>alert(1)</script>",
    b'{"kind":"telemetry","sample":', b'{"kind":"telemetry","sample":' + b'{"a":' * 5000,
    {"kind": "telemetry"}, {"kind": "note", "text": "hello"},
    event(2, unknown=1), event(2, vram_used_bytes=[1]), event(2, tasks={"processing": -1}),
    *(event(2, memory_bytes=wrong) for wrong in ([1], [1, 2, 3], "much", [-1, 2], 10**400)),
    event(2, workers=["0", "0"]), event(2, workers=["0", "x" * 10_000]),
    event(2, at="then"), event(2, at="2026-11-20T14:03:02"), event(2, at="1999-11-20T14:03:02Z"),
    # Python reads these, and browsers do not.
    event(2, at="20261120T140302Z"), event(2, at="2026-W47-5T14:03:02Z"), event(2, at="2026-11-20x14:03:02Z"),
    event(2, at="2026-11-20T14:03:02,5Z"), event(2, at="2026-13-20T14:03:02Z"),
    event(2, progress=[{"prefix": "x", "processing": -5}]),
    event(2, progress=[{"prefix": str(number)} for number in range(1000)]),
    *(json.dumps(event(2, cpu_percent=-1)).replace("-1", wrong).encode() for wrong in ("NaN", "Infinity")),
]  # fmt: skip


@pytest.mark.parametrize("line", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_line_is_left_out(tmp_path: Path, line: Any) -> None:
    session = read_recording(file_of(tmp_path / "a.jsonl", HEADER, event(1), line, event(3)))
    assert [sample.at[17:19] for sample in session.samples] == ["01", "03"]
    assert session.message == "The file is corrupted: 1 of its 3 samples cannot be played."


def test_a_recording_of_cpu_workers_shows_no_gpu(tmp_path: Path) -> None:
    figures: dict[str, Any] = {"device": "GPU-1", "vram_used_bytes": [1, 2], "gpu_utilization_percent": 3}
    figures["pcie_sent_bytes_per_second"] = 4
    path = file_of(tmp_path / "a.jsonl", HEADER, event(1, **figures))
    session = read_recording(path)
    assert session.message is None
    assert json.loads(session.encoded())["samples"] == [event(1)["sample"]]
    on_gpus = {**HEADER, "backend": "cuda", "gpus": ["A"]}
    session = read_recording(file_of(path, on_gpus, event(1, **figures)))
    assert json.loads(session.encoded())["samples"] == [event(1, **figures)["sample"]]


@pytest.mark.parametrize(
    ("name", "n_events"), [("a.jsonl", 6), ("a.jsonl.gz", 60), pytest.param("a.jsonl", 60, marks=pytest.mark.full)]
)
@pytest.mark.full
def test_truncated_file_plays_to_its_end(tmp_path: Path, name: str, n_events: int) -> None:
    whole = file_of(tmp_path / name, HEADER, *(event(number) for number in range(n_events))).read_bytes()
    messages = set()
    for cut in range(len(whole)):
        (tmp_path / name).write_bytes(whole[:cut])
        try:
            session = read_recording(tmp_path / name)
        except RecordingUnreadable as refusal:
            assert refusal.message.endswith(".")
        else:
            messages.add((session.message or "").split(" the first")[0])
    assert "The file is truncated: everything after" in messages


def test_unplayable_samples(tmp_path: Path) -> None:
    path = file_of(tmp_path / "a.jsonl", HEADER, b"nonsense", b"more")
    assert read_header(path).title == "A test"
    with pytest.raises(RecordingUnreadable, match="contains nothing that can be played"):
        read_recording(path)


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    line = b" " * 2**19 + b"\n"
    bomb = gzip.compress(json.dumps(HEADER).encode() + b"\n" + line * (reading.MOST_BYTES // len(line) + 1))
    assert len(bomb) < 2**20
    (tmp_path / "a.jsonl.gz").write_bytes(bomb)
    with pytest.raises(RecordingUnreadable, match="decompresses to more than 48 MiB"):
        read_recording(tmp_path / "a.jsonl.gz")


def sample_with(figure: bytes) -> bytes:
    return (
        b'{"kind":"telemetry","sample":{"id":"r","at":"2026-11-20T14:03:00Z","workers":["0"],"memory_bytes":%b}}'
        % figure
    )


TOLD = json.dumps(HEADER).encode() + b"\n"
MANY_KEYS = b"{%b}" % b",".join(b'"%x":1' % number for number in range(20_000))
BOMBS: dict[str, tuple[bytes, str]] = {
    "lines": (TOLD + b"{}\n" * 15_000_000, "corrupted: more than 1000 of its lines cannot be played"),
    "empty lines": (TOLD + b"\n" * 40 * 2**20, "has more than 40000 lines"),
    "empty lines first": (b" " * 10**6 + b"\n" + TOLD, "is not a gpucluster recording"),
    "nesting": (TOLD + (b'{"kind":' + b"[" * 10**6 + b"\n") * 3, "contains nothing that can be played"),
    "one line": (TOLD + b'{"kind":"' + b"x" * 2 * 2**20, "a line is too long"),
    "digits": (TOLD + sample_with(b"9" * 10**6) + b"\n", "contains nothing that can be played"),
    "digits first": (TOLD.replace(b'workers": 2', b'workers": ' + b"9" * 10**5), "is not a gpucluster recording"),
    "keys": (TOLD + sample_with(MANY_KEYS) + b"\n", "contains nothing that can be played"),
    "keys first": (TOLD.replace(b"}", b', "versions": ' + MANY_KEYS + b"}"), "is not a gpucluster recording"),
    "headers": (TOLD * 2000, "corrupted: more than 1000 of its lines"),
}
BOMBS = {name: (gzip.compress(content, 1), sentence) for name, (content, sentence) in BOMBS.items()}
BOMBS["members"] = (gzip.compress(TOLD) + gzip.compress(b"") * 350_000, "compressed in more than 1000 parts")
BOMBS["members first"] = (gzip.compress(b"") * 350_000 + gzip.compress(TOLD), "compressed in more than 1000 parts")


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.timeout(20)  # Some of these used to take a minute.
def test_compression_bomb_is_refused_quickly(tmp_path: Path, name: str) -> None:
    content, sentence = BOMBS[name]
    (tmp_path / "a.jsonl.gz").write_bytes(content)
    with suppress(RecordingUnreadable):
        read_header(tmp_path / "a.jsonl.gz")
    with pytest.raises(RecordingUnreadable, match=sentence):
        read_recording(tmp_path / "a.jsonl.gz")


def test_slow_reading_is_abandoned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_SECONDS", 0.0)
    with pytest.raises(RecordingUnreadable, match="takes too long to read"):
        read_recording(file_of(tmp_path / "a.jsonl", HEADER, *(event(1) for _ in range(1000))))


def test_gzip_members_are_joined(tmp_path: Path) -> None:
    whole = file_of(tmp_path / "a.jsonl", HEADER, *(event(number) for number in range(9))).read_bytes()
    pieces = [gzip.compress(whole[begin : begin + 100]) for begin in range(0, len(whole), 100)]
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(b"".join(pieces) + b"\0" * 20_000)
    session = read_recording(path)
    assert (len(session.samples), session.message) == (9, None)
    path.write_bytes(b"".join(pieces)[:-6] + b"wrong!")
    session = read_recording(path)
    assert session.message == "The file is truncated: everything after the first 9 samples is lost."


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_growing_file_is_read_to_a_limit(tmp_path, name, monkeypatch):
    path = file_of(tmp_path / name, HEADER)
    written = path.stat().st_size
    original = reading.os.fstat

    def grows_after_the_look(descriptor: int) -> os.stat_result:
        status = original(descriptor)
        os.truncate(path, 10**9)
        return status

    monkeypatch.setattr(reading.os, "fstat", grows_after_the_look)
    assert written < 10**6
    with pytest.raises(RecordingUnreadable, match=r"can be played|too long"):
        read_recording(path)


def test_a_line_without_end_and_a_large_file(tmp_path: Path) -> None:
    with file_of(tmp_path / "a.jsonl", HEADER).open("ab") as file:
        file.truncate(3 * 2**20)
    with pytest.raises(RecordingUnreadable, match="a line is too long"):
        read_recording(tmp_path / "a.jsonl")
    with (tmp_path / "a.jsonl").open("wb") as file:
        file.truncate(reading.MOST_BYTES + 1)
    with pytest.raises(RecordingUnreadable, match="recordings of up to 48 MiB can be played"):
        read_recording(tmp_path / "a.jsonl")


def test_not_a_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    for name in ("pipe.jsonl", "gone.jsonl", ".", "a\0b", "x" * 500):
        with pytest.raises(RecordingNotFound, match=r"\.$"):
            read_recording(tmp_path / name)
    with pytest.raises(RecordingNotFound):
        read_recording(Path("/dev/zero"))


@settings(max_examples=200)
@given(noise=st.binary(max_size=400), place=st.floats(0, 1), packed=st.booleans())
def test_damaged_bytes_raise_only_recording_errors(tmp_path_factory, noise, place, packed):
    path = tmp_path_factory.getbasetemp() / ("noise.jsonl.gz" if packed else "noise.jsonl")
    whole = file_of(path, HEADER, *(event(number) for number in range(5))).read_bytes()
    cut = int(place * len(whole))
    path.write_bytes(whole[:cut] + noise + whole[cut + len(noise) // 2 :])
    try:
        assert read_recording(path).samples
    except RecordingUnreadable as refusal:
        assert refusal.message.endswith(".")


class TestPlaces:
    def test_bundled_recordings_are_playable_without_gpu(self) -> None:
        found = bundled_recordings()
        cpu = {"kmeans-cpu", "etl-with-spill-cpu", "out-of-memory-cpu"}
        assert cpu <= {path.name.removesuffix(".gpucluster.jsonl.gz") for path in found}
        for path in found:
            session = read_recording(path)
            assert session.message is None
            assert path.stat().st_size < 1_000_000
            if "cpu" in path.name:
                assert session.label.startswith("Recorded on CPU workers at 20")
                assert session.recording.gpus == []
            else:
                assert session.label.startswith("Recorded on NVIDIA ")
                assert session.recording.gpus
                assert not session.recording.simulated

    def test_bundled_spill_and_crash_show_their_events(self) -> None:
        spill = read_recording(find_recording("etl-with-spill-cpu")).samples
        assert max(sum(filter(None, sample.column("tier_disk_bytes"))) for sample in spill) > 100 * 2**20
        crash = read_recording(find_recording("out-of-memory-cpu")).samples
        used = [sum(filter(None, sample.column("memory_bytes"))) for sample in crash]
        assert sum(after < before - 100 * 2**20 for before, after in pairwise(used)) >= 3, "workers were killed"
        assert crash[-1].tasks["erred"] == 1

    def test_the_ones_of_a_gpu_show_its_memory(self) -> None:
        fits = read_recording(find_recording("kmeans-h100")).samples
        kept = [sum(filter(None, sample.column("tier_device_bytes"))) for sample in fits]
        assert max(kept) == 4 * 20_000_000 * 32, "the rows stay on the GPU"
        assert max(filter(None, (sample.column("gpu_utilization_percent")[0] for sample in fits))) > 50
        full = read_recording(find_recording("out-of-memory-h100")).samples
        asked = [sample.column("vram_used_bytes")[0] for sample in full]
        card = 85.5e9
        for share in (0.3, 0.6, 0.9):
            assert any(abs(used / card - share) < 0.03 for used in asked if used is not None)

    def test_bundled_recordings_name_their_origin(self) -> None:
        readme = Path(__file__).parents[2] / "notebooks" / "data" / "recordings" / "README.md"
        for path in bundled_recordings():
            assert f"| `{path.name}` |" in readme.read_text(encoding="utf-8")

    def test_recording_is_found_by_file_or_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = file_of(tmp_path / "mine.gpucluster.jsonl", HEADER, event())
        monkeypatch.chdir(tmp_path)
        assert find_recording("mine").resolve() == path
        assert find_recording(tmp_path / "mine") == find_recording(path) == path
        for name in ("kmeans-cpu", "kmeans-cpu.gpucluster.jsonl.gz"):
            assert find_recording(name).name == "kmeans-cpu.gpucluster.jsonl.gz"

    def test_names_contain_no_control_characters(self, tmp_path: Path) -> None:
        path = tmp_path / "\x1b[31mevil.jsonl"
        path.write_text("{}")
        with pytest.raises(RecordingUnreadable) as refusal:
            read_recording(path)
        assert refusal.value.message == "?[31mevil.jsonl is not a gpucluster recording."

    @pytest.mark.parametrize("name", ["kmean-cpu", "", "../x", "a\0", "\ud800", "x" * 5000])
    def test_missing_recording_is_refused(self, name: str) -> None:
        with pytest.raises(RecordingNotFound, match="Bundled recordings: .*kmeans-cpu") as refusal:
            find_recording(name)
        assert len(refusal.value.message) < 400
        assert ("Did you mean 'kmeans-cpu'?" in refusal.value.message) is (name == "kmean-cpu")

    def test_a_folder_is_searched(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("a", "b/c", "b/.hidden/d", "e/e/e/e/e/deep", "node_modules/f"):
            path = tmp_path / f"{name}.gpucluster.jsonl.gz"
            path.parent.mkdir(parents=True, exist_ok=True)
            file_of(path, HEADER, event())
        (tmp_path / "loop").symlink_to(tmp_path)
        (tmp_path / "other.jsonl").write_text("{}")
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.gpucluster.jsonl")).write_text("{}")
        found, complete = recordings_below(tmp_path)
        assert [path.relative_to(tmp_path).as_posix().split(".")[0] for path in found] == ["a", "b/c"]
        assert complete
        monkeypatch.setattr(places, "MOST_ENTRIES", 2)
        assert recordings_below(tmp_path)[1] is False
        assert recordings_below(tmp_path / "nowhere") == ([], True)


def test_silences_are_cut():
    seconds = ["00", "01.500", "20", "20", "59"]
    samples = [TelemetrySample(id="1", at=f"2026-11-21T10:00:{at}Z", workers=[]) for at in seconds]
    assert times_of(samples) == [0.0, 1.5, 11.5, 11.5, 21.5]


def test_positions():
    assert [position_text(seconds) for seconds in (0, 9.99, 65, 3600)] == ["0:00", "0:09", "1:05", "60:00"]


@pytest.mark.parametrize("speed", [0, 0.2, 65, -1, float("nan"), True, "2", None])
def test_speeds(speed):
    assert playing_speed(4) == 4.0
    with pytest.raises(InvalidRequest, match="speed: must be a number from 0.25 to 64"):
        playing_speed(speed)


RECORDING = Recording(title="t", recorded_at="2026-11-21T10:00:00Z", backend="cuda", n_workers=2, simulated=True)
SAMPLES = [
    TelemetrySample(
        id="a", at="2026-11-21T10:00:00Z", workers=["0"], memory_bytes=10, cpu_percent=50.0, tasks={"memory": 3},
        progress=[PrefixProgress(prefix="inc", in_memory=3, waiting=1)],
    ),
    TelemetrySample(
        id="a", at="2026-11-21T10:00:01.5Z", workers=["0", "1"], memory_bytes=[10, None], cpu_percent=[50.0, 100.0],
        device="GPU-1", host=["node1", "node2"], vram_used_bytes=7, tasks={"no-worker": 2},
    ),
]  # fmt: skip
SESSION = RecordedSession(recording=RECORDING, label=RECORDING.label, samples=SAMPLES)


def test_all_workers_together():
    found = session_frame(SESSION)
    assert str(found.index.tz) == "UTC"
    assert [str(moment.time()) for moment in found.index] == ["10:00:00", "10:00:01.500000"]
    assert list(found["n_workers"]) == [1, 2]
    assert list(found["cpu_percent"]) == [50, 75]
    assert list(found["memory_bytes"]) == [10, 10]
    assert math.isnan(found["vram_used_bytes"].iloc[0]) and found["vram_used_bytes"].iloc[1] == 7, "one device"
    assert [list(found[name]) for name in ("tasks_memory", "tasks_no_worker")] == [[3, 0], [0, 2]]


def test_each_worker():
    found = session_frame(SESSION, by="worker")
    assert found.index.names == ["time", "worker"]
    late = found.xs("2026-11-21T10:00:01.5Z", level="time")
    assert list(late["cpu_percent"]) == [50, 100]
    assert math.isnan(late["memory_bytes"]["1"])
    assert list(late["device"]) == ["GPU-1", "GPU-1"]
    assert list(late["host"]) == ["node1", "node2"]
    assert "rmm_used_bytes" not in found, "not measured"


def test_kinds_of_tasks():
    found = session_frame(SESSION, by="task")
    assert found.index.names == ["time", "prefix"]
    assert dict(found.iloc[0]) == {"waiting": 1, "processing": 0, "in_memory": 3, "released": 0, "erred": 0}


def test_a_history_has_the_totals_of_the_panel():
    history = History("0000000a")
    history.add({"workers": ["0", "1"], "cpu_percent": [10, 30], "memory_bytes": [5, 5]}, 100.0)
    history.add({"workers": ["1"], "cpu_percent": [None], "memory_bytes": [7]}, 102.0)
    told = told_of(history)
    together = history_frame(told)
    assert list(together["cpu_percent"].iloc[:1]) == [20]
    assert list(together["memory_bytes"]) == [10, 7]
    assert together.index[1] - together.index[0] == pd.Timedelta(seconds=2)
    assert together.index[1] == pd.Timestamp(told.at)
    single = history_frame(told, by="worker")
    assert list(single.index.get_level_values("worker")) == ["0", "1", "1"], "gone workers have no rows"
    assert list(single["memory_bytes"]) == [5, 5, 7]
    assert "vram_used_bytes" not in single
    assert history_frame(told_of(History("0000000a"))).empty


def told_of(history: History) -> TelemetryHistory:
    return TelemetryHistory.model_validate_json(history.encoded())


def test_a_bundled_recording():
    samples = read_recording(find_recording("etl-with-spill-cpu")).samples
    assert len(frame("etl-with-spill-cpu")) == len(samples)
    spilled = frame("etl-with-spill-cpu", by="worker")["tier_disk_bytes"]
    assert spilled.max() > 0


def test_mistakes_are_refused():
    with pytest.raises(RecordingNotFound, match="Recording nothing not found"):
        frame("nothing")
    with pytest.raises(InvalidRequest, match="by: must be 'cluster', 'worker' or 'task', not 'host'"):
        frame("kmeans-cpu", by="host")  # type: ignore[arg-type]
