"""Apptainer, Podman and Docker: the runner with its kernels in a container, whose system comes from an image.

This Python is shown in it read-only, so the image needs the same libraries of the system and nothing else. Between
kernel and runner stands Landlock.
"""

import os
import resource
import shutil
from collections.abc import Mapping
from pathlib import Path

from ..job import Limits
from . import view
from .folder import Sandbox

ENGINES = ("podman", "docker")
_MORE_THREADS = 200
_NAMES = ("APPTAINER", "SINGULARITY")


def apptainer() -> str | None:
    """Return where Apptainer is, or Singularity."""
    return shutil.which("apptainer") or shutil.which("singularity")


def engine() -> str | None:
    """Return where Podman is, or Docker."""
    return next((found for name in ENGINES if (found := shutil.which(name))), None)


def in_apptainer(sandbox: Sandbox, solutions: Path, image: str) -> list[str]:
    """Return what comes before the command of a runner; its variables are those of `as_apptainer_has_them`.

    Parameters
    ----------
    sandbox : Sandbox
        The folder of the submission, all that can be written to.
    solutions : pathlib.Path
        Folder with the lessons and their solutions.
    image : str
        A file, or a folder with a system.
    """
    bound = [word for path in _shown(solutions) for word in ("--bind", f"{path}:{path}:ro")]
    return [
        apptainer() or "apptainer", "--quiet", "exec", "--containall", "--no-home", "--no-init", "--no-eval",
        "--net", "--network", "none", "--no-privs", *(["--nv"] if view.graphics() else []), *bound,
        "--bind", f"{sandbox.root}:{sandbox.root}", "--pwd", "/", image,
    ]  # fmt: skip


def as_apptainer_has_them(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of Apptainer itself, from which that of the container comes."""
    own = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR")}
    return own | {f"{kind}ENV_{name}": value for name, value in environment.items() for kind in _NAMES}


def in_container(
    sandbox: Sandbox, solutions: Path, image: str, environment: Mapping[str, str], limits: Limits
) -> list[str]:
    """Return what comes before the command of a runner, for Podman and Docker; see `in_apptainer`.

    Parameters
    ----------
    environment : mapping
        Variables of the runner; those of the command do not get in.
    limits : Limits
        The engine holds them as well.
    """
    found = engine() or ENGINES[0]
    bound = [word for path in _shown(solutions) for word in ("--volume", f"{path}:{path}:ro")]
    variables = [word for name, value in environment.items() for word in ("--env", f"{name}={value}")]
    devices = [word for device in view.graphics() for word in ("--device", str(device))]
    same: list[str] = []
    if Path(found).name == "podman":
        # The same user ids inside as outside, in its own user namespace; Docker has one for all containers or none.
        same = ["--userns", "keep-id"] if os.getuid() else ["--uidmap", "0:0:65536", "--gidmap", "0:0:65536"]
    return [
        found, "run", "--rm", "--interactive", "--name", container_name(sandbox), "--pull", "never",
        "--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
        "--ipc", "private", "--shm-size", str(limits.memory_bytes), "--pids-limit", str(limits.threads + _MORE_THREADS),
        *_limits_of_this_process(), "--user", f"{os.getuid()}:{os.getgid()}", *same, *devices, *variables, *bound,
        "--volume", f"{sandbox.root}:{sandbox.root}", "--workdir", "/", "--entrypoint", "", image,
    ]  # fmt: skip


def _limits_of_this_process() -> list[str]:
    """Keep an engine from raising two limits of what it starts: where it may not, nothing would start at all.

    Podman 4.3 with runc set 32,768 processes there, and refused 32,769 (tried without CAP_SYS_RESOURCE).
    """
    found = []
    for name, number, most in (("nofile", resource.RLIMIT_NOFILE, 2**20), ("nproc", resource.RLIMIT_NPROC, 2**15)):
        soft, hard = (most if value == resource.RLIM_INFINITY else min(value, most)
                      for value in resource.getrlimit(number))  # fmt: skip
        found += ["--ulimit", f"{name}={soft}:{hard}"]
    return found


def container_name(sandbox: Sandbox) -> str:
    """Return how the container of a submission is called."""
    return f"gpucluster-grading-{sandbox.token}"


def _shown(solutions: Path) -> list[Path]:
    return [*view.of_python(), solutions]
