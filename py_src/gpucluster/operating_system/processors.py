"""The processors that this process may use, and what they are called."""

from __future__ import annotations

import os
import platform

from . import LINUX


def usable_processors() -> list[int]:
    """Return the numbers of the processors that this process may use; elsewhere than on Linux: all there are."""
    return sorted(os.sched_getaffinity(0)) if LINUX else list(range(os.cpu_count() or 1))


def processor_name() -> str | None:
    """Return what the processor is called, where the system tells it."""
    names: list[str] = []
    if LINUX:
        try:
            with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
                names = [
                    line.partition(":")[2].strip()
                    for line in file
                    if line.lower().startswith(("model name", "cpu model"))
                ]
        except OSError:
            names = []
    return names[0] if names else platform.processor() or None
