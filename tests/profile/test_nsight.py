"""``--nsight``: calls of ``nsys``, and its problems.

``nsys`` itself belongs to the CUDA toolkit; a script that writes down its arguments stands in for it.
"""

import socket
from pathlib import Path
from typing import Any

import gpucluster
import pytest
from gpucluster.profiling.nsight import NsightCapture, ProcessFacts, launched_by_nsys


@pytest.fixture
def nsys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in that keeps its arguments, and on 'stop' writes the file that 'start' was given."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "nsys"
    script.write_text(
        "#!/bin/sh\n"
        f'echo "$@" >> {tmp_path}/asked\n'
        f'[ -e {tmp_path}/fails ] && echo "The session does not exist." >&2 && exit 1\n'
        f'[ "$1" = stop ] && [ ! -e {tmp_path}/silent ] && echo capture > {tmp_path}/cell.nsys-rep\n'
        "exit 0\n"
    )
    script.chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return tmp_path


HERE = ProcessFacts(socket.gethostname(), True)


@pytest.mark.processes
def test_it_collects_between_start_and_stop(nsys: Path) -> None:
    capture = NsightCapture(nsys / "cell.nsys-rep", [HERE, ProcessFacts("elsewhere", True)])
    assert not (nsys / "cell.nsys-rep").exists()
    said = capture.stop()
    assert said.startswith(f"The Nsight Systems capture of 1 of 2 workers is in {nsys / 'cell.nsys-rep'}")
    start, stop = (nsys / "asked").read_text().splitlines()
    assert start.startswith(f"start --session=gpucluster --output={nsys / 'cell.nsys-rep'} --force-overwrite=true")
    assert stop == "stop --session=gpucluster"


@pytest.mark.processes
def test_problems_are_reported(nsys: Path) -> None:
    file = nsys / "cell.nsys-rep"
    (nsys / "silent").touch()
    assert NsightCapture(file, [HERE]).stop() == f"No Nsight Systems capture: nsys wrote no file {file}."
    (nsys / "fails").touch()
    said = NsightCapture(file, [HERE]).stop()
    assert said == "No Nsight Systems capture: 'nsys start' printed: The session does not exist."
    before = (nsys / "asked").read_text()
    said = NsightCapture(file, [ProcessFacts(HERE.host, False)]).stop()
    assert "cannot attach to processes that are already running. Start Jupyter with 'nsys launch" in said
    assert (nsys / "asked").read_text() == before, "it was not called"


def test_launched_processes() -> None:
    assert launched_by_nsys({"NSYS_PROFILING_SESSION_ID": "7"})
    assert launched_by_nsys({"LD_PRELOAD": "/opt/nvidia/nsight-systems/2026.1/libToolsInjectionProxy64.so"})
    assert launched_by_nsys({"CUDA_INJECTION64_PATH": "/opt/x/libToolsInjection64.so"})
    assert not launched_by_nsys({"LD_PRELOAD": "libjemalloc.so", "PATH": "/opt/nsight-systems/bin"})


def test_missing_nsys_is_reported(client: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with gpucluster.profile(nsight=tmp_path / "cell") as report:
        client.submit(sum, [1, 2], pure=False).result()
    assert report.n_tasks == 1
    [said] = report.files
    assert said.startswith("No Nsight Systems capture: 'nsys' is not on the PATH.")
    assert said in " ".join(report.text().split())
