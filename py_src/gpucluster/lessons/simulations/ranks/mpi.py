"""Ranks that are processes of MPI, started by ``mpiexec``."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np

from .outcome import NoMPI, RankFailed, RankRun

POINTS, TASK = "points.npy", "task.pickle"
LONGEST_SECONDS, PATIENCE_SECONDS = 60, 8


def mpiexec() -> str | None:
    """Return the program that starts MPI programs; None when mpi4py or MPI is not installed."""
    if find_spec("mpi4py") is None or find_spec("cloudpickle") is None:
        return None
    beside = Path(sys.executable).with_name("mpiexec")
    return str(beside) if beside.exists() else which("mpiexec")


def surroundings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment for ranks: one thread each, because they share the cores; all of them on this machine, even
    inside a job of a batch system.
    """
    return {**environment, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
            "HYDRA_LAUNCHER": "fork", "HYDRA_RMK": "user"}  # fmt: skip


def run_under_mpi(
    starter: str, function: Callable[..., Any], points: Any, *arguments: Any, n_ranks: int, plain: bool = False
) -> RankRun:
    """Write function and points to a private folder, and start ``mpiexec -n n_ranks python -m … folder``.

    With ``plain``, the function gets ``MPI.COMM_WORLD`` itself.
    """
    import cloudpickle

    with tempfile.TemporaryDirectory(prefix="gpucluster-ranks-") as name:
        folder = Path(name)
        np.save(folder / POINTS, np.asarray(points))
        (folder / TASK).write_bytes(cloudpickle.dumps((function, arguments, plain)))
        command = [
            starter,
            "-n",
            str(n_ranks),
            sys.executable,
            "-m",
            "gpucluster.lessons.simulations.ranks.program",
            name,
        ]
        with (folder / "complaints.txt").open("w+", encoding="utf-8") as complaints:
            program = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=complaints,
                env=surroundings(os.environ), start_new_session=True,
            )  # fmt: skip
            try:
                _wait(program, folder, n_ranks)
            finally:
                _end(program)
            complaints.seek(0)
            return _collect(folder, n_ranks, complaints.read())


def _wait(program: subprocess.Popen[bytes], folder: Path, n_ranks: int) -> None:
    """Wait for all ranks; one that has ended while another one waits for it is the usual mistake."""
    began, first_done = time.monotonic(), None
    while program.poll() is None:
        time.sleep(0.05)
        now = time.monotonic()
        done = sorted(file.stem.removeprefix("result-") for file in folder.glob("result-*.pickle"))
        if 0 < len(done) < n_ranks:
            first_done = first_done or now
        if first_done and now - first_done > PATIENCE_SECONDS:
            raise RankFailed(
                f"Rank {', '.join(done)} has ended, the others still wait for it. All ranks must call the same "
                "operations the same number of times: decide from what all of them know."
            )
        if now - began > LONGEST_SECONDS:
            raise RankFailed(f"The ranks did not end within {LONGEST_SECONDS} s. Is there a loop that never stops?")


def _end(program: subprocess.Popen[bytes]) -> None:
    if program.poll() is not None:
        return
    program.terminate()  # mpiexec ends its ranks
    try:
        program.wait(5)
    except subprocess.TimeoutExpired:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()


def _collect(folder: Path, n_ranks: int, complaints: str) -> RankRun:
    failed = sorted(folder.glob("failed-*.txt"))
    if failed:
        rank = failed[0].stem.removeprefix("failed-")
        raise RankFailed(f"Rank {rank} ended with an error: {failed[0].read_text(encoding='utf-8')}")
    files = [folder / f"result-{rank}.pickle" for rank in range(n_ranks)]
    if not all(file.exists() for file in files):
        last = complaints.strip().splitlines()[-1:] or ["it printed nothing"]
        raise NoMPI(f"mpiexec did not start {n_ranks} ranks that can communicate ({last[0][:200]}).")
    # The folder is private, and its files were written by the learner's own program.
    reports = [pickle.loads(file.read_bytes()) for file in files]  # noqa: S301
    return RankRun.of(reports, "processes of MPI, started by mpiexec")
