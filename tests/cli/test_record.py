"""``gpucluster record``: from the shell into a file, until stopped."""

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from gpucluster.recordings.reading import read_recording

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_some_seconds_are_recorded(shared_cluster, gpucluster, tmp_path):
    path = tmp_path / "a.jsonl.gz"
    done = gpucluster("record", "shared", str(path), "--seconds", "2", "--title", "A title", "--note", "A note")
    assert (done.returncode, done.stderr) == (0, "")
    session = read_recording(path)
    assert (session.recording.title, session.recording.note) == ("A title", "A note")
    samples = len(session.samples)
    assert done.stdout.startswith(f"shared: {samples} sample{'s' * (samples != 1)} in {path}, ")


@pytest.mark.full
def test_only_cluster_needs_no_name(shared_cluster, answer, tmp_path):
    first = answer("record", str(tmp_path / "a"), "--seconds", "1")
    assert (first["cluster"], first["path"]) == ("shared", str(tmp_path / "a.gpucluster.jsonl.gz"))
    assert first["recording"]["backend"] == "local"
    second = answer("record", str(tmp_path / "b.jsonl"), "shared", "--seconds", "1")
    assert (second["cluster"], second["path"]) == ("shared", str(tmp_path / "b.jsonl"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.full
def test_ctrl_c_is_enough(shared_cluster, command, tmp_path, number):
    path = tmp_path / "a.jsonl"
    process = subprocess.Popen(
        [*command, "record", "shared", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    part = Path(f"{path}.part")
    while not part.exists() or part.read_text().count("\n") < 2:
        assert process.poll() is None
        time.sleep(0.1)
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("shared: ")
    assert read_recording(path).message is None
    assert not part.exists()


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
@pytest.mark.full
def test_full_disk_is_reported_and_leaves_no_file(shared_cluster, command, tmp_path, name):
    line = shlex.join([*command, "record", "shared", str(tmp_path / name), "--seconds", "5"])
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 0; exec {line}"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"{name}.part cannot be written: File too large.\n")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
