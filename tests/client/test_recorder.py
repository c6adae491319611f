"""Recording real clusters through the Python API."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import gpucluster
import pytest
from gpucluster.protocol.errors import InvalidRequest, InvalidState, RecordingNotFound
from gpucluster.recordings.reading import read_recording
from gpucluster.recordings.writing import LineRecorder

sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

from cluster.process import simulated_cluster


@pytest.fixture
def shared(shared_cluster):
    return gpucluster.connect("shared")


def test_a_block_is_recorded(shared, shared_cluster, tmp_path, wait_until):
    path = tmp_path / "sums.jsonl.gz"
    with shared.recording(path, title="Sums <b>", note="sum of 1 and 2") as recorder, shared.get_client() as client:
        assert client.submit(sum, [1, 2]).result(60) == 3
        wait_until(lambda: recorder.samples >= 3)
        assert not path.exists(), "only a complete file has this name"
    written = recorder.stop()
    assert (written.path, written.cluster, written.message) == (str(path), "shared", None)
    assert written.size_bytes == path.stat().st_size < 5000
    session = read_recording(path)
    assert len(session.samples) == written.samples >= 3
    assert session.recording == written.recording
    assert (session.recording.title, session.recording.note) == ("Sums <b>", "sum of 1 and 2")
    assert (session.recording.backend, session.recording.n_workers, session.recording.gpus) == ("local", 2, [])
    assert session.recording.versions.gpucluster == gpucluster.__version__
    assert session.recording.versions.dask == shared.model.versions.distributed
    assert not session.recording.simulated
    assert session.label.startswith("Recorded on CPU workers at 20")
    assert session.label.endswith(" UTC — not a live cluster")
    assert session.samples[0].at == session.recording.recorded_at
    assert session.samples[-1].workers == ["0", "1"]
    text = session.encoded().decode()
    model = shared.model
    private = [model.id, str(model.pid), model.scheduler_address, str(tmp_path), sys.executable, "127.0.0.1"]
    assert [word for word in private if word in text] == []


@pytest.mark.full
def test_recording_equals_the_viewers_stream(shared, tmp_path, wait_until):
    with shared.recording(tmp_path / "a.jsonl") as recorder:
        wait_until(lambda: recorder.samples >= 2)
        live = shared.telemetry()
        wait_until(lambda: live.at in (tmp_path / "a.jsonl.part").read_text() or recorder.samples > 30)
    recorded = {sample.at: sample for sample in read_recording(tmp_path / "a.jsonl").samples}
    assert live.at in recorded
    # Machines are shown by number only. A worker that has not reported yet has none.
    host = [name and "node1" for name in live.host] if isinstance(live.host, list) else "node1"
    assert recorded[live.at] == live.model_copy(update={"id": "recording", "host": host})


def test_interrupt_just_after_the_first_sample_leaves_a_complete_recording(shared, tmp_path, monkeypatch):
    follow = LineRecorder._follow
    monkeypatch.setattr(LineRecorder, "_follow", lambda self, _first: follow(self, asyncio.Event()))
    recorder = shared.recording(tmp_path / "a.jsonl")._asynchronous

    async def interrupted():
        starting = asyncio.create_task(recorder.start())
        while not recorder.samples:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        return await recorder.stop()

    written = asyncio.run(interrupted())
    assert written.samples == len(read_recording(tmp_path / "a.jsonl").samples) >= 1


def test_record_and_stop(shared, tmp_path):
    recorder = shared.record(tmp_path / "a")
    assert repr(recorder).endswith(f"to {tmp_path}/a.gpucluster.jsonl.gz: recording, {recorder.samples} samples>")
    recorder.start()
    assert recorder.stop().samples == recorder.stop().samples >= 1
    assert ": over, " in repr(recorder)
    assert read_recording(tmp_path / "a.gpucluster.jsonl.gz").recording.title == "a"
    recorder = shared.record(tmp_path / "a.jsonl", seconds=1)
    assert recorder.over.wait(90)
    assert (tmp_path / "a.jsonl").exists()
    assert recorder.stop().message is None


async def test_asynchronously(shared_cluster, tmp_path):
    handle = gpucluster.connect("shared", asynchronous=True)
    recorder = await handle.record(tmp_path / "a.jsonl")
    assert (await recorder.stop()).samples >= 1
    async with handle.recording(tmp_path / "b.jsonl") as other:
        assert other.samples >= 1
    assert read_recording(tmp_path / "b.jsonl").samples


def test_refused_recording_leaves_no_file(shared, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.jsonl").write_text("mine")
    for name in ("a.txt", "mine.jsonl", "nowhere/a.jsonl", ""):
        with pytest.raises(InvalidRequest, match="^FILE: "):
            shared.record(name)
    for seconds in (0, -1, float("nan"), "1", True):
        with pytest.raises(InvalidRequest, match="^seconds: must be a number above 0, not "):
            shared.recording(tmp_path / "a.jsonl", seconds=seconds)
    with pytest.raises(InvalidRequest, match="title: must be plain text in one line"):
        shared.record("a.jsonl", title="a\nb")
    with pytest.raises(InvalidState, match=r"call start\(\) first"):
        shared.recording("a.jsonl").stop()
    assert [path.name for path in tmp_path.iterdir()] == ["mine.jsonl"]


def test_the_end_of_the_cluster_completes_the_file(site, tmp_path):
    site.running(name="short")
    cluster = gpucluster.connect("short")
    recorder = cluster.record(tmp_path / "a.jsonl")
    cluster.stop()
    assert recorder.over.wait(90)
    assert recorder.stop().message == "The cluster has ended."
    assert read_recording(tmp_path / "a.jsonl").message is None
    with pytest.raises(InvalidState, match="there is nothing to record"):
        cluster.record(tmp_path / "b.jsonl")


FORGETFUL = """
import sys, gpucluster
recorder = gpucluster.connect("shared").record(sys.argv[1])
print(recorder.samples)
"""


def test_the_end_of_the_process_completes_the_file(shared_cluster, tmp_path):
    path = tmp_path / "a.jsonl.gz"
    done = subprocess.run([sys.executable, "-c", FORGETFUL, path], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("1\n", "")
    assert read_recording(path).message is None


def test_simulated_recording_is_marked(site, tmp_path, wait_until):
    with simulated_cluster("--workers", "3", "--gpus", "--rmm", "mixed", "--name", "many"):
        with gpucluster.connect("many").recording(tmp_path / "a.jsonl") as recorder:
            wait_until(lambda: recorder.samples >= 2)
    session = read_recording(tmp_path / "a.jsonl")
    assert session.message is None, "its figures of GPUs can be played"
    assert session.recording.simulated
    assert session.label.startswith("Simulated: no real GPU. Recorded at 20")
    first = session.samples[0]
    assert first.workers == first.column("device") == [f"GPU-{n:08x}-0000-0000-0000-000000000000" for n in (1, 2, 3)]
    assert first.vram_total_bytes is not None


def test_outside_a_notebook_a_recording_is_a_picture():
    seen = gpucluster.replay("kmeans-cpu", speed=2)
    lines = str(seen).splitlines()
    assert lines[0] == "k-means on two CPU workers"
    assert lines[1].startswith("  Recorded on CPU workers at 20")
    assert any("of 2 GiB" in line for line in lines)
    assert "not a live cluster" in seen._repr_html_()
    seen.close()


def test_a_hostile_recording_is_text_in_its_picture(tmp_path):
    evil = "<img src=x onerror=alert(1)>"
    header = {
        "kind": "gpucluster-recording", "schema_version": 1, "title": evil, "recorded_at": "2026-11-20T14:03:00Z",
        "backend": "cuda", "gpus": [evil], "n_workers": 2, "simulated": False, "note": evil,
    }  # fmt: skip
    sample = {
        "id": evil, "at": "2026-11-20T14:03:00Z", "workers": [evil, "1"], "memory_bytes": 1, "device_error": evil,
        "progress": [{"prefix": evil, "processing": 1}], "tasks": {evil: 1},
    }  # fmt: skip
    lines = [header, {"kind": "telemetry", "sample": sample}]
    path = tmp_path / "evil.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    html: Any = gpucluster.replay(path)._repr_html_()
    assert "<img" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html


@pytest.mark.parametrize("speed", [0, -1, 1000, float("nan"), "fast", None, True])
def test_what_cannot_be_played_is_refused(speed):
    with pytest.raises(RecordingNotFound, match="Recording kmean-cpu not found. Did you mean 'kmeans-cpu'"):
        gpucluster.replay("kmean-cpu")
    with pytest.raises(InvalidRequest, match=r"^speed: must be a number from 0\.25 to 64, not "):
        gpucluster.replay("kmeans-cpu", speed=speed)
