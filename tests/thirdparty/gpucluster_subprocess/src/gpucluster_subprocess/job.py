"""A small batch system: ``python -m gpucluster_subprocess.job DIRECTORY NAME SECONDS COMMAND…`` is one job.

Like a job of a real batch system, it detaches from its parent, waits in the queue, runs its command, and records its
state in ``DIRECTORY/NAME.state``. An environment variable of its processes has its name.
"""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil

MARK = "GPUCLUSTER_SUBPROCESS_JOB"
GATE = "GPUCLUSTER_SUBPROCESS_GATE"
"""Path of a file; while it exists, the queue starts no worker."""
FAULT = "GPUCLUSTER_SUBPROCESS_FAULT"
"""Path of a file; while it exists, workers that the queue starts fail."""
NOTHING = "/dev/null/nothing"
"""A path that cannot exist."""
POLL_SECONDS = 0.05


def submit(directory: Path, name: str, seconds: float, command: list[str]) -> None:
    """Submit a job to the queue."""
    (directory / f"{name}.state").write_text("pending")
    environment = os.environ | {MARK: f"{directory}/{name}"}
    own = [sys.executable, "-m", "gpucluster_subprocess.job", str(directory), name, str(seconds)]
    with (directory / f"{name}.log").open("wb") as log:
        # In a new session from the start: it must survive the end of the supervisor's session.
        subprocess.run(
            [*own, *command], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True, check=True,
        )  # fmt: skip


def state_of(directory: Path, name: str) -> str:
    """Return ``pending``, ``running`` or ``ended``; ``gone`` for an unknown job."""
    with suppress(FileNotFoundError):
        return (directory / f"{name}.state").read_text()
    return "gone"


def last_words(directory: Path, name: str) -> str:
    """Return the last line of a job's output."""
    with suppress(FileNotFoundError):
        lines = (directory / f"{name}.log").read_text().strip().splitlines()
        if lines:
            return lines[-1].strip().rstrip(".")
    return "it printed nothing"


def processes(directory: Path, names: list[str]) -> list[psutil.Process]:
    """Return all running processes of these jobs."""
    marks = {f"{directory}/{name}" for name in names}
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get(MARK) in marks:
                found.append(process)
    return found


def cancel(directory: Path, names: list[str]) -> int:
    """End these jobs, and return the number of their processes."""
    found = processes(directory, names)
    for process in found:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(found, timeout=5)
    for name in names:
        with suppress(FileNotFoundError):
            (directory / f"{name}.state").write_text("ended")
    return len(found)


def _run(directory: Path, name: str, seconds: float, command: list[str]) -> None:
    state = directory / f"{name}.state"
    is_worker = name.startswith("worker")
    deadline = time.monotonic() + seconds
    gate, fault = Path(os.environ.get(GATE, NOTHING)), Path(os.environ.get(FAULT, NOTHING))
    while time.monotonic() < deadline or (is_worker and gate.exists()):
        time.sleep(POLL_SECONDS)
    state.write_text("running")
    if is_worker and fault.exists():
        print("the node has no licence.", flush=True)
    else:
        subprocess.run(command, check=False)
    state.write_text("ended")


def main() -> None:
    """Run one job in a background process."""
    directory, name, seconds, *command = sys.argv[1:]
    if os.fork():
        os._exit(0)
    with suppress(FileNotFoundError):  # The folder is deleted with the cluster.
        _run(Path(directory), name, float(seconds), command)


if __name__ == "__main__":
    main()
