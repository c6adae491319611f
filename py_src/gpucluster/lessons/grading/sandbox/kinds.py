"""The kinds of sandbox: how each begins a runner, and who keeps its kernels in it."""

import os
import subprocess
from contextlib import suppress
from dataclasses import dataclass

import psutil

from ....operating_system.resources import bounded, usable_processors
from ...catalogue import NOTEBOOKS_VARIABLE, notebooks_folder
from ..job import Limits, Sandboxing
from . import bubblewrap, images
from .folder import Sandbox
from .keeper import KERNEL, Keeper
from .keeper_process import DistantKeeper, split_off

_REMOVE_S = 60.0


@dataclass(frozen=True)
class Beginning:
    """How a runner is started: what comes before its command, and the environment."""

    before: list[str]
    environment: dict[str, str]


def beginning(sandbox: Sandbox, sandboxing: Sandboxing, limits: Limits) -> Beginning:
    """Return how to start a runner in a sandbox of this kind.

    Raises
    ------
    ValueError
        When it cannot be made for this Python.
    """
    solutions = notebooks_folder().absolute()
    environment = sandbox.environment()
    environment[NOTEBOOKS_VARIABLE] = str(solutions)  # the runner sees the solutions; the kernel does not
    if sandboxing.kind == "bubblewrap":
        return Beginning(bubblewrap.outer(sandbox, solutions, apart=sandboxing.apart), environment)
    if sandboxing.kind == "apptainer":
        before = images.in_apptainer(sandbox, solutions, sandboxing.image)
        return Beginning(before, images.as_apptainer_has_them(environment))
    if sandboxing.kind == "container":
        before = images.in_container(sandbox, solutions, sandboxing.image, environment, limits)
        return Beginning(before, dict(os.environ))
    return Beginning([], environment)


def end(sandbox: Sandbox, sandboxing: Sandboxing) -> None:
    """End what does not end with the program that started it: a container, which an engine keeps."""
    engine = images.engine()
    if sandboxing.kind == "container" and engine is not None:
        with suppress(OSError, subprocess.TimeoutExpired):
            command = [engine, "rm", "--force", images.container_name(sandbox)]
            subprocess.run(command, timeout=_REMOVE_S, check=False, capture_output=True)


def keeper_of(sandbox: Sandbox, sandboxing: Sandboxing, module: str = KERNEL) -> Keeper | DistantKeeper:
    """Return who starts the kernels; asked by a runner, before it restricts itself.

    Parameters
    ----------
    module : str, optional
        What to start instead of a kernel.
    """
    private = sandboxing.kind != "landlock"
    if not sandboxing.apart:
        return Keeper(sandbox, private=private, module=module)
    before = bubblewrap.inner(sandbox)
    return split_off(lambda: Keeper(sandbox, before, apart=True, private=private, module=module))


def notebooks_at_a_time(limits: Limits) -> int:
    """Return how many notebooks this machine grades at a time: one for each processor, while memory lasts."""
    memory, cores = bounded(psutil.virtual_memory().available, len(usable_processors()))
    return max(1, min(int(cores), memory // limits.memory_bytes))
