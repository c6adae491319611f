"""End what an MPI program has left on this machine. Ranks elsewhere end automatically with their input."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

MARK = "GPUCLUSTER_MPI_CLUSTER"  # This variable marks all processes of a cluster.
PATIENCE_SECONDS = 4.0


def scratch_name(cluster_id: str) -> str:
    """Return the prefix of the private folders of a cluster's ranks."""
    return f"gpucluster-{cluster_id}"


def end_processes(cluster_id: str) -> int:
    """Kill all processes of a cluster on this machine; return their number."""
    ended: set[psutil.Process] = set()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while found := _marked(cluster_id):
        if time.monotonic() > deadline:
            raise RuntimeError("Some processes of the MPI program do not end")
        ended.update(found)
        for process in found:
            with suppress(psutil.Error):
                process.kill()
        time.sleep(0.02)
    return len(ended)


def _marked(cluster_id: str) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if (
                process.pid != os.getpid()
                and process.uids().real == os.getuid()
                and process.environ().get(MARK) == cluster_id
                and process.status() != psutil.STATUS_ZOMBIE
            ):
                found.append(process)
    return found


def remove_scratch(cluster_id: str, local_directory: str | None) -> None:
    """Delete the folders that ranks left on this machine."""
    for top in {tempfile.gettempdir(), os.environ.get("SLURM_TMPDIR"), local_directory} - {None}:
        for path in Path(str(top)).glob(f"{scratch_name(cluster_id)}-*"):
            with suppress(OSError):
                if not path.is_symlink() and path.lstat().st_uid == os.getuid():
                    shutil.rmtree(path, ignore_errors=True)
