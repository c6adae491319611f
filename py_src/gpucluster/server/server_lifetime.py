"""What ends the clusters together with this Jupyter server on a hub: a container, a batch job, a unit of systemd.

A cluster is a process of its own and outlives the server that made it, unless whatever started the server ends all of
its processes. People should know that before they start to compute.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

_JOBS = {"SLURM_JOB_ID": "Slurm", "PBS_JOBID": "PBS", "LSB_JOBID": "LSF"}
_CONTAINERS = (".dockerenv", "run/.containerenv")
_HERE = {"localhost", "127.0.0.1", "::1"}


def note_on_lifetime(
    environment: Mapping[str, str] = os.environ, *, root: Path = Path("/"), parent: int | None = None
) -> str | None:
    """Return a sentence on what ends clusters together with this server; ``None``: they outlive it, or nobody knows.

    Parameters
    ----------
    environment : mapping
        Of the server.
    root : Path
        Of the file system.
    parent : int, optional
        The server's parent; default: that of this process.
    """
    if "JUPYTERHUB_USER" not in environment:
        return None
    inside = _inside(environment, root, os.getppid() if parent is None else parent)
    if inside is None:
        return None
    return (
        f"This cluster ends when your Jupyter server is stopped, also by the hub when it idles: the server runs in "
        f"{inside}."
    )


def _inside(environment: Mapping[str, str], root: Path, parent: int) -> str | None:
    for name, system in _JOBS.items():
        if environment.get(name):
            return f"a job of {system}, which ends as a whole"
    hub = urlsplit(environment.get("JUPYTERHUB_API_URL", "")).hostname
    # A hub on this address is in the same container, so that one stays.
    if hub not in _HERE and (
        "KUBERNETES_SERVICE_HOST" in environment or any((root / name).exists() for name in _CONTAINERS)
    ):
        return "a container, which ends as a whole"
    if parent == 1 and (unit := _unit(root)):
        return f"the unit {unit} of systemd, which ends as a whole"
    return None


def _unit(root: Path) -> str | None:
    try:
        lines = (root / "proc" / "self" / "cgroup").read_text().splitlines()
    except OSError:
        return None
    names = [line.rpartition("/")[2] for line in lines if line.startswith(("0::", "1:name=systemd:"))]
    return next((name for name in names if name.endswith(".service")), None)
