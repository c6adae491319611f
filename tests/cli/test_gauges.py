"""``gpucluster gauges`` and ``gpucluster replay``: live in a terminal, one picture elsewhere."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable

import pytest
from gpucluster.protocol.telemetry import TelemetrySample
from gpucluster.recordings.places import find_recording
from gpucluster.recordings.reading import read_recording

from tests.cli.terminal import CLOSE, OPEN, Terminal

Run = Callable[..., "subprocess.CompletedProcess[str]"]

BUNDLED = read_recording(find_recording("kmeans-cpu"))


def test_the_gauges_of_now(shared_cluster, gpucluster, answer):
    done = gpucluster("gauges", "shared")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("shared: ")
    assert re.fullmatch(r"  Memory       [█░]{24} [0-9.]+ [MG]iB of [0-9.]+ [MG]iB \([0-9]+ %\): .*", lines[1])
    assert "tasks running" in lines[2]
    assert "\x1b" not in done.stdout
    sample = TelemetrySample.model_validate(answer("gauges", "shared"))
    assert sample.id == shared_cluster.id
    assert len(sample.workers) == len(shared_cluster.workers)


@pytest.mark.full
def test_top_workers(shared_cluster, answer, gpucluster):
    told = answer("gauges", "shared", "--top", "1")
    assert told.pop("n_others") == len(shared_cluster.workers) - 1
    sample = TelemetrySample.model_validate(told)
    assert len(sample.workers) == 1
    assert isinstance(sample.memory_bytes, list) and len(sample.memory_bytes) == 1
    done = gpucluster("gauges", "shared", "--top", "1", "--by", "cpu")
    assert done.returncode == 0
    assert len([line for line in done.stdout.splitlines() if line.startswith("  Worker ")]) == 1
    assert done.stdout.splitlines()[-1] == f"  and {len(shared_cluster.workers) - 1} more"


def test_live_until_ctrl_c(shared_cluster, command):
    with Terminal([*command, "gauges", "shared"]) as terminal:
        terminal.read_until(lambda _: len(terminal.pages) >= 4)
        terminal.press_ctrl_c()
        assert terminal.end() == 0
        assert terminal.text.startswith(OPEN)
        assert terminal.text.count(OPEN) == terminal.text.count(CLOSE) == 1
        assert all(page.startswith("shared: ") for page in terminal.pages)
        assert terminal.left[0].startswith("shared: ")
        assert "Traceback" not in terminal.text


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.full
def test_live_until_the_cluster_ends(site, command, fails):
    cluster = site.running(name="short", n_workers=1)
    with Terminal([*command, "gauges", "short"]) as terminal:
        terminal.read_until(lambda _: len(terminal.pages) >= 2)
        os.kill(cluster.pid, signal.SIGKILL) if fails else site.control.stop(cluster.id)
        assert terminal.end() == int(fails)
        assert terminal.left[0] == ("short: failed" if fails else "short: stopped")
        assert (f"(pid {cluster.pid}) is gone" in terminal.left[1]) == fails
        (when,) = [line for line in terminal.left if line.startswith("  State at ")]
        assert "Memory" in terminal.left[terminal.left.index(when) + 1]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash, which controls jobs: install bash")
def test_ctrl_z_gives_the_terminal_back(command):
    with Terminal(["bash", "--norc", "--noprofile", "-i"]) as terminal:
        terminal.type("PS1='ready> '\n")
        terminal.type(f"{shlex.join(command)} replay kmeans-cpu --speed 0.25\n")
        terminal.read_until(lambda text: text.count(BUNDLED.label) == 1)
        terminal.type("\x1a")
        terminal.read_until(lambda text: "Stopped" in text)
        assert terminal.text.count(OPEN) == terminal.text.count(CLOSE) == 1
        assert terminal.text.index(CLOSE) < terminal.text.index("Stopped")
        terminal.type("fg\n")
        terminal.read_until(lambda text: text.count(OPEN) == 2 and text.split(OPEN)[2].count(BUNDLED.label))
        terminal.type("\x03")
        terminal.read_until(lambda text: text.count(CLOSE) == 2)
        terminal.type("exit\n")
        assert terminal.end() in {0, 130}


def test_ctrl_z_without_job_control(command):
    with Terminal([*command, "replay", "kmeans-cpu", "--speed", "0.25"]) as terminal:
        terminal.read_until(lambda text: BUNDLED.label in text)
        terminal.type("\x1a")
        terminal.read_until(lambda text: text.count(OPEN) == 2)
        terminal.press_ctrl_c()
        assert terminal.end() == 0


@pytest.mark.full
def test_output_that_cannot_show_bars(command):
    line = [*command, "replay", "kmeans-cpu"]
    ascii_environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ascii_only = subprocess.run(line, capture_output=True, timeout=60, env=ascii_environment, check=False)
    assert (ascii_only.returncode, ascii_only.stderr) == (0, b"")
    assert b"  Memory       ???" in ascii_only.stdout
    closed = subprocess.run(["sh", "-c", f"{shlex.join(line)} >&-"], capture_output=True, timeout=60, check=False)
    assert (closed.returncode, closed.stderr) == (0, b"")
    full = subprocess.run(["sh", "-c", f"{shlex.join(line)} >/dev/full"], capture_output=True, timeout=60, check=False)
    assert (full.returncode, full.stderr) == (1, b"Not everything could be written: No space left on device.\n")
    unwritable = subprocess.run(["sh", "-c", f"{shlex.join(line)} 1</dev/null"], capture_output=True, timeout=60)
    assert (unwritable.returncode, unwritable.stderr) == (
        1, b"Not everything could be written: Bad file descriptor.\n"
    )  # fmt: skip


@pytest.mark.parametrize("verb", ["gauges", "replay"])
def test_a_terminal_that_cannot_draw_gets_lines(shared_cluster, command, verb, monkeypatch):
    what = "shared" if verb == "gauges" else "kmeans-cpu"
    with Terminal(["/usr/bin/env", "TERM=dumb", *command, verb, what]) as terminal:
        assert terminal.end() == 0
        assert "\x1b" not in terminal.text
        assert "Memory" in terminal.text


def test_the_end_of_a_recording(gpucluster, answer):
    done = gpucluster("replay", "kmeans-cpu")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    title, position = lines[0].split("   ")
    shown, whole = position.split(" / ")
    assert (title, shown) == (BUNDLED.recording.title, whole)
    assert lines[1] == f"  {BUNDLED.label}"
    assert [line.split("  ")[1] for line in lines[-2:]] == ["Worker 0", "Worker 1"]
    told = answer("replay", "kmeans-cpu")
    assert told["label"] == BUNDLED.label
    assert len(told["samples"]) == len(BUNDLED.samples)


@pytest.mark.full
def test_a_recording_plays(command):
    with Terminal([*command, "replay", "kmeans-cpu", "--speed", "16"], lines=12) as terminal:
        assert terminal.end() == 0
        pages = terminal.pages
        assert len(pages) > 2, "more than its first and last page"
        positions = [re.search(r"   ([0-9]+):([0-9]+) /", page) for page in pages]
        seconds = [60 * int(found[1]) + int(found[2]) for found in positions if found]
        assert len(seconds) == len(pages)
        assert seconds == sorted(seconds)
        assert seconds[0] == 0
        assert all(BUNDLED.label in page for page in pages)
        assert all(page.count("\r\n") < 12 for page in pages)
        assert terminal.left[1] == f"  {BUNDLED.label}"


def test_enough_of_a_recording(command):
    with Terminal([*command, "replay", "kmeans-cpu", "--speed", "0.25"]) as terminal:
        terminal.read_until(lambda text: BUNDLED.label in text)
        terminal.press_ctrl_c()
        assert terminal.end() == 0
        assert terminal.left[0].startswith(f"{BUNDLED.recording.title}   0:0")


def test_file_text_contains_no_control_characters(gpucluster, tmp_path):
    header = BUNDLED.recording.model_dump(mode="json")
    evil = "\x1b]0;mine\x07\x1b[2J"
    sample = {"id": evil, "at": "2026-11-21T10:00:05Z", "workers": [evil, f"{evil}2"], "memory_bytes": 2**30}
    path = tmp_path / "evil.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in (header, {"kind": "telemetry", "sample": sample})))
    done = gpucluster("replay", str(path))
    assert done.returncode == 0
    assert all(line.isprintable() for line in done.stdout.splitlines())
