"""What the forkserver, which workers are forked from, does before it serves and while no worker is requested.

Nothing that is imported in here may start threads, open sockets or touch CUDA.
"""

import gc
import os
import signal
import warnings
from importlib import import_module
from typing import Any

from ...dask_internals.listening import serve_no_worker_pages
from ...protocol.version import ADDED_VARIABLES
from . import preloading
from .preloading import FIRST, RAPIDS_SIGNAL, import_each, import_rapids, later_wanted, rapids_at_once, yield_as_workers
from .process_tree import tie_to_parent

_BREATH_SECONDS = 0.001  # Between two modules, so that a request for a worker gets its turn.


class _Later:
    """Imports modules in the main thread, one at a time, from an alarm that interrupts the wait for requests."""

    def __init__(self, modules: tuple[str, ...]) -> None:
        self._left = list(modules)
        self._process = os.getpid()
        signal.signal(signal.SIGALRM, self._import_next)
        os.register_at_fork(after_in_parent=self._wait, after_in_child=self._forget)

    def _wait(self) -> None:
        if self._left:
            signal.setitimer(signal.ITIMER_REAL, preloading.QUIET_SECONDS)

    def _forget(self) -> None:
        # A child inherits no timer, but an alarm may have come just before the fork.
        self._left = []
        if signal.getsignal(signal.SIGALRM) == self._import_next:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def _import_next(self, *_: Any) -> None:
        if not self._left or os.getpid() != self._process:
            return
        import_each((self._left.pop(0),))
        gc.freeze()
        if self._left:
            signal.setitimer(signal.ITIMER_REAL, _BREATH_SECONDS)


def _rapids_when_asked_for() -> None:
    """Import RAPIDS on the supervisor's signal that the next workers have GPUs; see `ask_for_rapids`."""

    def import_now(*_: Any) -> None:
        import_rapids()
        gc.freeze()

    def forget() -> None:
        signal.signal(RAPIDS_SIGNAL, signal.SIG_DFL)

    signal.signal(RAPIDS_SIGNAL, import_now)
    os.register_at_fork(after_in_child=forget)
    # The signal may have come before.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {RAPIDS_SIGNAL})


os.environ.pop(ADDED_VARIABLES, None)
tie_to_parent()
yield_as_workers()
# Orphans that this process has adopted end like its own children.
warnings.filterwarnings("ignore", message="forkserver: waitpid returned unexpected pid")
# The garbage collector would touch, and so copy, the pages that workers share. Workers have their own.
gc.disable()
os.register_at_fork(after_in_child=gc.enable)
import_each(FIRST)
if rapids_at_once():
    import_rapids()
# Workers draw different numbers from NumPy's global generator; Python's reseeds itself.
os.register_at_fork(after_in_child=import_module("numpy.random").seed)
serve_no_worker_pages()
gc.freeze()
_rapids_when_asked_for()
_Later(later_wanted())
