"""What a job prints is bounded: its beginning and its end are kept, in the same file, while it goes on printing."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import gpucluster
import psutil
import pytest
from gpucluster.backends.slurm.handover import LEFT_OUT, MOST_BYTES, keeping_output_short

from tests.backends.seen import names, stopped
from tests.backends.slurm.test_slurm import JOBS, job_of, log_of

FLOOD = """
import os, sys
os.write(1, b"the first line\\n")
for number in range(64):
    os.write(1, b"%09d not worth keeping\\n" % number * 30000)
input()
os.write(1, b"the last line\\n")
"""


def assert_short(file: Path, first: str, last: str) -> None:
    text = file.read_bytes().decode()
    lines = text.splitlines()
    assert len(text) <= MOST_BYTES
    assert first in lines[0]
    # Dask's workers log requests in separate lines.
    assert last in "\n".join(lines[-6:])
    assert lines.count(LEFT_OUT) == 1
    assert text.index(LEFT_OUT) == 2**20 + 1
    assert text.count("000000063 not worth keeping") > 29000, "the end of the flood"


def held_by(file: Path) -> list[int]:
    found = []
    for process in psutil.process_iter():
        try:
            if str(file) in (os.readlink(path) for path in Path(f"/proc/{process.pid}/fd").iterdir()):
                found.append(process.pid)
        except OSError:
            continue
    return found


@pytest.mark.linux("/proc")
@pytest.mark.parametrize("holes", [True, False])
def test_beginning_and_end_of_output_stay_in_the_same_file(tmp_path, wait_until, holes):
    programs = tmp_path / "programs"
    programs.mkdir()
    if not holes:  # As on a file system that has none.
        (programs / "fallocate").write_text("#!/bin/sh\nexit 1\n")
        (programs / "fallocate").chmod(0o700)
    (tmp_path / "flood.py").write_text(FLOOD)
    printed = tmp_path / "printed"
    script = "\n".join([*keeping_output_short(), "wait", f"{sys.executable} {tmp_path / 'flood.py'}"])
    with (
        open(printed, "ab") as out,
        subprocess.Popen(
            ["bash", "-c", script],
            env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=out,
        ) as job,
    ):
        inode = printed.stat().st_ino
        wait_until(lambda: 0 < printed.stat().st_size <= MOST_BYTES and LEFT_OUT in printed.read_text())
        job.communicate(b"\n", timeout=60)
    assert job.returncode == 0
    assert_short(printed, "the first line", "the last line")
    assert (printed.stat().st_ino, stat.S_IMODE(printed.stat().st_mode)) == (inode, 0o600)
    wait_until(lambda: not held_by(printed), what=lambda: held_by(printed))


@pytest.mark.linux("/proc")
@pytest.mark.parametrize("where", [subprocess.DEVNULL, subprocess.PIPE])
def test_output_that_is_no_file_is_left_alone(where):
    before = os.stat(os.devnull).st_mode
    script = "\n".join([*keeping_output_short(), "sleep 0.2; jobs; echo done"])
    done = subprocess.run(["bash", "-c", script], stdout=where, stderr=subprocess.PIPE, timeout=60, check=True)
    assert done.stdout in {None, b"done\n"}
    assert done.stderr == b""
    assert os.stat(os.devnull).st_mode == before


@pytest.fixture(params=[True, False], ids=["shared", "apart"])
def where(request, slurm, tmp_path):
    """Options of a cluster with and without shared storage."""
    if request.param:
        return {**JOBS, "shared_directory": str(tmp_path / "shared"), "partition": "main"}
    if not slurm.apart:
        pytest.skip("needs the right to mount")
    return {**JOBS, "shared_storage": False, "partition": "apart"}


@pytest.mark.full
def test_endless_output_of_a_worker_is_bounded(slurm, shared_site, tmp_path, wait_until, where):
    shared = "shared_directory" in where
    model = shared_site.running(**where, nodes_per_job=2, n_workers=2)
    model = shared_site.wait_for(model.id, lambda model: names(model) == {"0-0", "0-1"})
    job = job_of(slurm, model, "0")
    log = tmp_path / "shared" / model.id / "log" / f"gpucluster-{model.id}-0-{job}.log"
    apart = [file for node in slurm.apart for file in slurm.temporary(node).glob("gpucluster-*/log")]
    files = [log] if shared else apart
    assert len(files) == (1 if shared else 2)
    wait_until(lambda: all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files))

    def flood() -> None:
        for number in range(64):
            os.write(1, b"%09d not worth keeping\n" % number * 30000)

    with gpucluster.connect(model.id).get_client() as client:
        client.run(flood)
        wait_until(
            lambda: all(file.stat().st_size <= MOST_BYTES and LEFT_OUT in file.read_text() for file in files),
            what=lambda: [file.stat().st_size for file in files],
        )
        settled = [(0, 0.0)]

        def has_settled() -> bool:
            """Whether nothing has come for a while: srun forwards output late."""
            size, now = sum(file.stat().st_size for file in files), time.monotonic()
            if size != settled[0][0]:
                settled[0] = (size, now)
            return now - settled[0][1] > 3

        wait_until(has_settled)
        for name, address in sorted((worker.name, worker.address) for worker in model.workers):
            client.run(os.write, 1, f"said at last by {name}\n".encode(), workers=[address])
    if shared:
        wait_until(lambda: "said at last by 0-1" in log.read_text()[-1000:], what=lambda: log.read_text()[-300:])
        assert_short(log, "", "said at last by 0-1")
    else:
        for file in files:
            assert_short(file, "", "said at last by 0-")
    stopped(shared_site, model.id)


@pytest.mark.full
def test_cause_of_a_failed_job_is_found_behind_a_flood(shared_site, tmp_path, where, wait_until):
    prologue = ["yes not worth keeping | head -c 60000000", "sleep 2", "echo error: the licence has run out", "exit 3"]
    model = shared_site.running(**where, n_workers=1, job_script_prologue=prologue)
    model = shared_site.wait_for(model.id, lambda model: model.notice)
    assert "error: the licence has run out" in model.notice, log_of(gpucluster.connect(model.id))
    for file in (tmp_path / "shared" / model.id / "log").glob("*") if "shared_directory" in where else ():
        # Another job has been tried since, and its output may not be cut yet.
        wait_until(lambda file=file: file.stat().st_size <= MOST_BYTES)
    stopped(shared_site, model.id)
