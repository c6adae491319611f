"""Python's helper processes as copies of this one: nothing is imported twice, and memory is shared."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import pairwise
from multiprocessing import forkserver, resource_tracker, util
from types import ModuleType

from ...operating_system import LINUX
from ...operating_system.processes import show_as
from .preloading import later_wanted

_ABSTRACT_SOCKETS = util.abstract_sockets_supported


def start_resource_tracker() -> None:
    """Start the process that removes what processes of multiprocessing leave behind.

    Call it before anything large is imported. The tracker needs none of it, and would keep its own copy of each page
    that the others change: 18 MB after a computation. Where the forkserver imports nothing later it never changes its
    pages, so two copies of the supervisor share them all, and a small one would take 9 MB more.
    """
    if LINUX and later_wanted():
        with copies_instead_of_programs():
            resource_tracker.ensure_running()


@contextmanager
def copies_instead_of_programs() -> Iterator[None]:
    """Let multiprocessing start its helpers as copies of this process.

    A restarted server is a program again, because there are threads by then.
    """
    usual = util.spawnv_passfds
    setattr(util, "spawnv_passfds", partial(copy_process, first=_be_new))  # noqa: B010  # the type checker forbids it
    try:
        yield
    finally:
        setattr(util, "spawnv_passfds", usual)  # noqa: B010


def _be_new() -> None:
    """Forget the parent's helpers, and the locks that multiprocessing holds on them."""
    helpers: tuple[object, ...] = (forkserver._forkserver, resource_tracker._resource_tracker)
    for helper in helpers:
        vars(helper).clear()
        vars(helper).update(vars(type(helper)()))
    multiprocessing.current_process()._config.pop("tempdir", None)  # type: ignore[attr-defined]
    util.abstract_sockets_supported = _ABSTRACT_SOCKETS  # type: ignore[misc]


def copy_process(
    program: str, arguments: Sequence[str], descriptors: Collection[int], *, first: Callable[[], None]
) -> int:
    """Fork, and run in the child what a new Python would get by ``-c``; returns the child's pid.

    Replaces ``multiprocessing.util.spawnv_passfds``. Call it while there is one thread.

    * `program`, `arguments`: the Python that would be started, and its arguments, the last of which is the code.
    * `descriptors`: what the child keeps open besides its standard streams.
    * `first`: called in the child, before the code.
    """
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        # Above all the lock of the cluster's folder, which would make the cluster alive.
        kept = sorted({0, 1, 2, *descriptors})
        for low, high in pairwise([*kept, os.sysconf("SC_OPEN_MAX")]):
            os.closerange(low + 1, high)
        atexit._clear()  # Exit handlers of the parent.
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
