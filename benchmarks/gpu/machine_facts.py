"""The machine that something was proved on: GPU, driver, versions."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gpucluster.operating_system.resources import processor_name, usable_processors

ROOT = Path(__file__).resolve().parents[2]
_FIELDS = (
    "name",
    "driver_version",
    "memory.total",
    "memory.used",
    "pcie.link.gen.max",
    "power.limit",
    "mig.mode.current",
)
_PACKAGES = (
    "dask",
    "distributed",
    "dask-cuda",
    "dask-cudf-cu13",
    "cudf-cu13",
    "cuml-cu13",
    "rmm-cu13",
    "raft-dask-cu13",
    "ucxx-cu13",
    "cupy-cuda13x",
    "nvidia-ml-py",
    "numpy",
    "scikit-learn",
)


def machine_facts(*, simulated: bool) -> dict[str, Any]:
    """Return the facts that belong with each figure.

    Parameters
    ----------
    simulated : bool
        Whether the GPU is one that the tests simulate: then nothing measured is true of any GPU.
    """
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "simulated": simulated,
        "commit": commit(),
        "gpus": _gpus(),
        "cpu": processor_name() or "",
        "cpus": len(usable_processors()),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name)) is not None},
    }


def commit() -> str:
    """Return the commit of this checkout; with a sum of the code where files have changed, or there is no git."""
    told = None
    if shutil.which("git") is not None:
        command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
    if told is None or told.returncode:
        return f"{os.environ.get('GPUCLUSTER_COMMIT', 'no-git')}-{code_sum()}"
    described = told.stdout.strip()
    return f"{described}-{code_sum()}" if described.endswith("-dirty") else described


def code_sum() -> str:
    """Return a sum of all that the proof runs, so that what has passed with other code is run again."""
    digest = hashlib.sha256()
    for folder in ("py_src", "benchmarks", "notebooks", "tests/gpu", "tests/fakes"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".ipynb", ".c", ".cu"} and path.is_file():
                digest.update(path.relative_to(ROOT).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _gpus() -> list[dict[str, str]]:
    command = shutil.which("nvidia-smi")
    if command is None:
        return []
    query = [command, f"--query-gpu={','.join(_FIELDS)}", "--format=csv,noheader"]
    told = subprocess.run(query, capture_output=True, text=True, check=False, timeout=60)
    if told.returncode:
        return []
    rows = [line.split(", ") for line in told.stdout.splitlines() if line.strip()]
    return [dict(zip(_FIELDS, row, strict=True)) for row in rows if len(row) == len(_FIELDS)]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
