"""A helper process of Python's that is a copy of this one: nothing is imported twice, and memory is shared."""

from __future__ import annotations

import atexit
import os
import sys
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from itertools import pairwise
from types import ModuleType

from ..operating_system.processes import show_as


def copy_process(
    program: str, arguments: Sequence[str], descriptors: Collection[int], *, first: Callable[[], None]
) -> int:
    """Fork, and run in the child what a new Python would be told by ``-c``; returns the child's pid.

    It stands in for ``multiprocessing.util.spawnv_passfds``. Call it while there is one thread.

    Parameters
    ----------
    program : str
        The Python that would be started.
    arguments : sequence of str
        Its arguments, the last of which is the code.
    descriptors : collection of int
        What the child keeps open besides its standard streams.
    first : callable
        Called in the child, before the code.
    """
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        _close_all_but(descriptors)
        atexit._clear()  # What the parent has to do at its own end.
        show_as([program, *arguments[1:]])
        first()
        sys.modules["__main__"] = main = ModuleType("__main__")
        exec(arguments[-1], vars(main))  # noqa: S102  # the code is multiprocessing's
        code = 0
    except SystemExit:
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def _close_all_but(descriptors: Collection[int]) -> None:
    """Close everything else, the lock of the cluster's folder above all: who holds it counts as alive."""
    kept = sorted({0, 1, 2, *descriptors})
    for low, high in pairwise([*kept, os.sysconf("SC_OPEN_MAX")]):
        os.closerange(low + 1, high)
