"""Memory and cores that processes of this machine may use."""

from __future__ import annotations

import math

import psutil

from ..operating_system.control_groups import bounded, usable_processors
from ..protocol.capacity import Machine


def this_machine() -> Machine:
    """Return what this process may use of the machine, or of its control group if that allows less."""
    memory, cores = bounded(psutil.virtual_memory().total, float(len(usable_processors())))
    return Machine(memory_bytes=memory, cores=max(1, math.floor(cores)))
