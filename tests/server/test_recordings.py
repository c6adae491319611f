"""Recordings over REST: the list, playback, and wrong requests."""

import asyncio
import gzip
import json
import os
import re
from itertools import product
from pathlib import Path

import pytest
from gpucluster.recordings import reading
from gpucluster.recordings.places import bundled_recordings
from gpucluster.recordings.reading import read_recording

HEADER = {
    "kind": "gpucluster-recording", "schema_version": 1, "title": "Mine", "recorded_at": "2026-11-20T14:03:00Z",
    "backend": "local", "n_workers": 1, "simulated": False,
}  # fmt: skip
SAMPLE = {"id": "recording", "at": "2026-11-20T14:03:00.000Z", "workers": ["0"], "memory_bytes": 5}
BUNDLED = "kmeans-cpu.gpucluster.jsonl.gz"


def recording(path, *lines):
    told = lines or (HEADER, {"kind": "telemetry", "sample": SAMPLE})
    text = b"".join(json.dumps(line).encode() + b"\n" for line in told)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


@pytest.fixture
def read(jp_fetch):
    """Request one recording; returns status and JSON."""

    async def ask(path, source="folder"):
        params = {"source": source, "path": path}
        response = await jp_fetch("gpucluster/api/recordings/session", params=params, raise_error=False)
        assert response.headers["Content-Type"].startswith("application/json")
        return response.code, json.loads(response.body)

    return ask


class TestList:
    async def test_lists_bundled_and_own_recordings(self, api, jp_root_dir):
        recording(jp_root_dir / "a.gpucluster.jsonl.gz")
        recording(jp_root_dir / "b" / "c.gpucluster.jsonl", {**HEADER, "schema_version": 9})
        recording(jp_root_dir / "other.jsonl")
        later = [{**SAMPLE, "at": f"2026-11-20T14:0{minute}:30.000Z"} for minute in (3, 4)]
        told = [{"kind": "telemetry", "sample": sample} for sample in later]
        recording(jp_root_dir / "d.gpucluster.jsonl.gz", {**HEADER, "note": "etl"}, *told)
        # A copy of a bundled one is the same recording.
        [original] = [path for path in bundled_recordings() if path.name == BUNDLED]
        (jp_root_dir / BUNDLED).write_bytes(original.read_bytes())
        code, answer = await api("GET", "recordings")
        assert code == 200
        assert answer["complete"] is True
        bundled = [one for one in answer["recordings"] if one["source"] == "bundled"]
        own = answer["recordings"][len(bundled) :]
        assert {one["path"] for one in bundled} >= {BUNDLED, "etl-with-spill-cpu.gpucluster.jsonl.gz"}
        assert [one["message"] for one in bundled] == [None] * len(bundled)
        assert bundled[0]["label"].startswith("Recorded on ")
        assert [(one["source"], one["path"], one["title"]) for one in own] == [
            ("folder", "a.gpucluster.jsonl.gz", "Mine"),
            ("folder", "d.gpucluster.jsonl.gz", "Mine"),
            ("folder", "b/c.gpucluster.jsonl", None),
        ]
        assert (own[1]["seconds"], own[1]["note"], own[1]["n_workers"], own[0]["seconds"]) == (60.0, "etl", 1, 0.0)
        assert all(one["seconds"] > 10 and one["note"] for one in bundled)
        assert own[0]["label"] == "Recorded on CPU workers at 2026-11-20 14:03 UTC — not a live cluster"
        assert own[2]["message"].startswith("c.gpucluster.jsonl was recorded by a newer gpucluster; install")
        assert str(jp_root_dir) not in json.dumps(answer)


class TestSession:
    @pytest.mark.parametrize("path", ["a.gpucluster.jsonl", "b/c d&e%41.gpucluster.jsonl.gz", "ä/ö.gpucluster.jsonl"])
    async def test_recording_below_the_root(self, read, jp_root_dir, path):
        recording(jp_root_dir / path)
        code, answer = await read(path)
        assert code == 200
        assert answer["label"] == "Recorded on CPU workers at 2026-11-20 14:03 UTC — not a live cluster"
        assert answer["samples"] == [SAMPLE], "what is not measured is left out"
        assert answer["recording"]["title"] == "Mine"
        assert answer["message"] is None

    async def test_a_bundled_one(self, read):
        code, answer = await read(BUNDLED, "bundled")
        assert (code, answer["recording"]["backend"]) == (200, "local")
        assert len(answer["samples"]) > 10

    async def test_other_files_are_not_read(self, read, jp_root_dir):
        paths = [
            "", "/", ".", "..", "../out.gpucluster.jsonl", "b/../../out.gpucluster.jsonl", "/etc/passwd",
            "//etc/passwd", "..\\out.gpucluster.jsonl", "a\0.gpucluster.jsonl", "a\n.gpucluster.jsonl",
            ".hidden/a.gpucluster.jsonl", ".gpucluster.jsonl", "gone.gpucluster.jsonl", "link.gpucluster.jsonl",
            "folder.gpucluster.jsonl", "plain.txt", "x" * 900 + ".gpucluster.jsonl", "x" * 5000, "~/a.gpucluster.jsonl",
            "%2e%2e/out.gpucluster.jsonl",
        ]  # fmt: skip
        outside = recording(jp_root_dir.parent / "out.gpucluster.jsonl", {**HEADER, "title": "OUTSIDE"}, SAMPLE)
        recording(jp_root_dir / ".hidden" / "a.gpucluster.jsonl")
        (jp_root_dir / "link.gpucluster.jsonl").symlink_to(outside)
        (jp_root_dir / "folder.gpucluster.jsonl").mkdir()
        (jp_root_dir / "plain.txt").write_text("mine")
        for source, path in product(["folder", "bundled", "elsewhere", ""], paths):
            code, answer = await read(path, source)
            assert code in {400, 404, 422}, (source, path, answer)
            assert set(answer) == {"code", "message", "fields"}, (source, path)
            assert answer["message"].endswith("."), (source, path)
            for private in ("OUTSIDE", "Traceback", str(jp_root_dir)):
                assert private not in json.dumps(answer), (source, path)

    async def test_unplayable_file_is_refused(self, api, read, jp_root_dir):
        evil = jp_root_dir / "evil.gpucluster.jsonl"
        for content in (b"", b"<script>alert(1)</script>", b"\x1f\x8b\x08broken", b"\xff" * 10_000, b"[" * 10**6):
            evil.write_bytes(content)
            code, answer = await read(evil.name)
            assert (code, answer["code"]) == (422, "recording_unreadable"), content[:20]
            assert answer["message"].startswith("evil.gpucluster.jsonl is ")
            code, listed = await api("GET", "recordings")
            assert code == 200
            assert listed["recordings"][-1]["message"] == answer["message"]

    async def test_large_recording_is_refused(self, read, jp_root_dir):
        bomb = jp_root_dir / "bomb.gpucluster.jsonl.gz"
        bomb.write_bytes(gzip.compress(json.dumps(HEADER).encode() + (b"\n" + b" " * 2**19) * 120))
        code, answer = await read(bomb.name)
        assert (code, answer["code"]) == (422, "recording_unreadable")
        assert "decompresses to more than 48 MiB" in answer["message"]

    async def test_unreadable_file_is_refused(self, read, jp_root_dir, monkeypatch):
        path = recording(jp_root_dir / "a.gpucluster.jsonl")
        original = os.open

        def refused(name, *arguments, **options):
            if Path(name).name == path.name:
                raise PermissionError(13, "Permission denied", name)
            return original(name, *arguments, **options)

        monkeypatch.setattr(reading.os, "open", refused)
        code, answer = await read(path.name)
        assert (code, answer["message"]) == (404, "The recording cannot be read: Permission denied.")

    @pytest.mark.timeout(30)
    async def test_compression_bombs_do_not_slow_the_server(self, api, read, jp_root_dir):
        """Each of them kept the server busy for up to a minute, the second one with each list."""
        line = json.dumps(HEADER).encode() + b"\n"
        (jp_root_dir / "lines.gpucluster.jsonl.gz").write_bytes(gzip.compress(line + b"{}\n" * 15_000_000, 1))
        (jp_root_dir / "parts.gpucluster.jsonl.gz").write_bytes(gzip.compress(b"") * 350_000)
        os.mkfifo(jp_root_dir / "pipe.gpucluster.jsonl")
        asked = [read("lines.gpucluster.jsonl.gz"), read("parts.gpucluster.jsonl.gz"), read("pipe.gpucluster.jsonl")]
        lists = [api("GET", "recordings") for _ in range(5)]
        answers = await asyncio.gather(*asked, *lists)
        assert [code for code, _ in answers] == [422, 422, 404, *[200] * 5]
        assert "more than 1000 of its lines cannot be played" in answers[0][1]["message"]
        assert "compressed in more than 1000 parts" in answers[1][1]["message"]
        listed = {one["path"]: one["message"] for one in answers[3][1]["recordings"] if one["source"] == "folder"}
        assert listed == {"lines.gpucluster.jsonl.gz": None, "parts.gpucluster.jsonl.gz": answers[1][1]["message"]}


class TestMaking:
    async def test_supervisor_records_until_stopped(self, api, until, running_cluster, jp_root_dir):
        code, model = await api("POST", "clusters/shared/recording")
        assert code == 201
        file = Path(model["recording"]["path"])
        assert file.parent == jp_root_dir / "gpucluster-recordings"
        assert re.fullmatch(r"shared-\d{8}-\d{6}\.gpucluster\.jsonl\.gz", file.name)
        part = file.with_name(file.name + ".part")
        assert part.stat().st_mode & 0o777 == 0o600
        # All open pages show it; it is made once.
        assert (await api("GET", "clusters/shared"))[1]["recording"] == model["recording"]
        code, error = await api("POST", "clusters/shared/recording")
        assert (code, error["message"]) == (409, f"The cluster 'shared' is already being recorded: {file.name}.")

        code, entry = await api("DELETE", "clusters/shared/recording")
        assert (code, entry["source"], entry["path"]) == (200, "folder", f"gpucluster-recordings/{file.name}")
        assert (entry["title"], entry["message"], entry["n_workers"]) == ("shared", None, 1)
        assert file.stat().st_mode & 0o777 == 0o600
        assert not part.exists()
        assert entry["path"] in [one["path"] for one in (await api("GET", "recordings"))[1]["recordings"]]
        await until("shared", lambda model: model["recording"] is None)
        code, error = await api("DELETE", "clusters/shared/recording")
        assert (code, error["message"]) == (409, "The cluster 'shared' is not being recorded.")
        entries = (await api("GET", "clusters/shared/activity"))[1]["entries"][-2:]
        assert [(one["kind"], one["by"]) for one in entries] == [("record", "JupyterLab"), ("recorded", None)]
        assert entries[1]["message"].endswith(f" to {file.name}")

    async def test_it_ends_with_the_cluster(self, api, until, jp_root_dir):
        _, made = await api("POST", "clusters", {"name": "short.1", "backend": "local", "n_workers": 1})
        code, error = await api("POST", "clusters/short.1/recording")
        assert (code, error["code"]) == (409, "invalid_state")
        await until("short.1", lambda model: model["state"] == "running")
        path = (await api("POST", "clusters/short.1/recording"))[1]["recording"]["path"]
        await api("DELETE", f"clusters/{made['id']}")
        assert (await until(made["id"], lambda model: model["state"] == "stopped"))["recording"] is None
        assert read_recording(Path(path)).message is None
        last = [one["message"] for one in (await api("GET", "clusters/short.1/activity"))[1]["entries"]][-2:]
        assert last[0].endswith(f" to {Path(path).name}. The cluster has ended.")
        assert last[1] == "Stopped."

    async def test_stop_during_the_start_of_a_recording(self, api, until):
        _, made = await api("POST", "clusters", {"name": "short.2", "backend": "local", "n_workers": 0})
        await until(made["id"], lambda model: model["state"] == "running")
        # Remains of the first one must not count as the second.
        assert (await api("POST", "clusters/short.2/recording"))[0] == 201
        assert (await api("DELETE", "clusters/short.2/recording"))[0] == 200
        beginning = asyncio.create_task(api("POST", "clusters/short.2/recording"))
        await asyncio.sleep(0.01)  # A sample comes each half second.
        await api("DELETE", f"clusters/{made['id']}")
        assert (await beginning)[0] in {201, 409}
        ended = await until(made["id"], lambda model: model["state"] in {"stopped", "failed"})
        assert (ended["state"], ended["recording"], ended["messages"]) == ("stopped", None, [])

    async def test_recording_replaces_no_file_and_stays_in_the_root(self, api, running_cluster, jp_root_dir, tmp_path):
        folder = jp_root_dir / "gpucluster-recordings"
        _, model = await api("POST", "clusters/shared/recording")
        file = Path(model["recording"]["path"])
        file.write_text("mine")  # Created by someone else first.
        code, entry = await api("DELETE", "clusters/shared/recording")
        assert (code, file.read_text()) == (200, "mine")
        assert read_recording(file.with_name(file.name + ".part")).samples
        folder.rename(jp_root_dir / "kept")
        folder.symlink_to(tmp_path)
        code, error = await api("POST", "clusters/shared/recording")
        assert (code, error["message"]) == (409, f"Cannot write recordings to {folder}: it is outside Jupyter's root.")
        folder.unlink()
        folder.write_text("")
        code, error = await api("POST", "clusters/shared/recording")
        assert (code, error["message"]) == (409, f"Cannot write recordings to {folder}: File exists.")
        assert (await api("GET", "clusters/shared"))[1]["recording"] is None
