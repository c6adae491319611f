"""Which modules are imported before workers are forked, and when, and the helper processes that share them.

What a worker needs to start is imported before the first one is forked. What most computations need follows when the
cluster runs, so that it delays no start, and workers that are forked later have it. Python's helper processes are
copies of this one: nothing is imported twice.
"""

import atexit
import importlib
import multiprocessing
import os
import signal
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from multiprocessing import forkserver, resource_tracker, util
from types import ModuleType

from ...operating_system import LINUX
from ...operating_system.processes import show_as, yield_to_processes, yield_to_sessions
from ...site import site_path

FIRST = (
    "numpy",
    "numpy.random",
    "distributed",
    "distributed.nanny",
    "distributed.worker",
    "distributed.comm.tcp",
    "distributed.diagnostics.nvml",
    "distributed.protocol.numpy",
    "distributed.shuffle",
    "tornado.platform.asyncio",
    "gpucluster.comm.backend",
    "gpucluster.telemetry.report",
)
LATER = (
    # One module at a time: a worker can be forked in between.
    "pyarrow",
    "pandas",
    "dask.array",
    "dask.dataframe",
    "scipy.sparse",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.utils",
    "sklearn.cluster",
    "sklearn.decomposition",
)
QUIET_SECONDS = 10.0
"""How long after the last request for a worker the forkserver begins to import what only later workers will have.

Not in the first seconds: users compute for the first time then, and many clusters of scripts have already ended.
"""
PRELOAD_LATER = "GPUCLUSTER_PRELOAD_LATER"
"""With ``0`` the forkserver never imports them: for nodes with many users, and clusters that never get a worker later.
It takes more than a second of one processor, and memory, in each cluster."""
RAPIDS = ("rmm", "cupy", "cudf")
"""What a GPU worker imports while it starts. The forkserver imports it for them when a cluster with GPUs requests its
first worker: not before, as a standby would hold half a gigabyte. On an H100 this created no CUDA context, workers
forked so computed correctly in all kinds of memory, and the next worker came in 0.5 s instead of 1.7 s
(``docs/gpu-proof.md``)."""
RAPIDS_SIGNAL = signal.SIGUSR1  # Sent to the forkserver when the next workers have GPUs.
PRELOAD_RAPIDS = "GPUCLUSTER_PRELOAD_RAPIDS"
"""With ``0`` each GPU worker imports RAPIDS itself; with ``1`` every standby imports it at once."""


def later_wanted() -> tuple[str, ...]:
    return () if os.environ.get(PRELOAD_LATER) == "0" else LATER


def rapids_at_once() -> bool:
    """Whether RAPIDS is imported before a cluster with GPUs is requested."""
    return os.environ.get(PRELOAD_RAPIDS) == "1"


def rapids_wanted() -> bool:
    """Whether RAPIDS is imported before a GPU worker is forked: only where all of it is installed."""
    return os.environ.get(PRELOAD_RAPIDS) != "0" and all(find_spec(module) is not None for module in RAPIDS)


def import_rapids() -> None:
    # cuDF and RMM read it on import and create no context, which a forked worker could not use.
    os.environ["RAPIDS_NO_INITIALIZE"] = "True"
    import_each(RAPIDS)


def import_each(modules: Iterable[str]) -> None:
    """Import these modules; one that is missing or broken must not keep workers from starting."""
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception as error:
            print(f"Not preloaded: {module}: {type(error).__name__}: {error}", file=sys.stderr)


NICE = "GPUCLUSTER_NICE"  # By how much workers yield to Jupyter servers, notebooks and panels; ``0``: not at all.
USUAL_NICE = 5  # On shared machines: a third of what the others get while the processors are busy.


def spare_where_many_share() -> None:
    """Take less memory and yield the processors, where the machine is shared.

    Workers then import pandas and scikit-learn themselves, when a task needs them, instead of inheriting them from the
    forkserver, where they take 60 to 70 MB per cluster. Call it before the forkserver starts;
    ``GPUCLUSTER_PRELOAD_LATER`` and ``GPUCLUSTER_NICE`` in the environment override it.
    """
    if not site_path().exists():
        return  # Most machines have no site and import nothing for it.
    from ...site.reading import this_site
    from ...site.sharing import Sharing

    if this_site().sharing != Sharing():
        os.environ.setdefault(PRELOAD_LATER, "0")
        os.environ.setdefault(NICE, str(USUAL_NICE))


def niceness() -> int:
    """Return by how much workers lower their priority; 0 without a valid number."""
    value = os.environ.get(NICE, "")
    return min(int(value), 19) if value.isdecimal() else 0


def yield_as_workers() -> None:
    """Let this process, the forkserver, and all its workers yield to the cluster's own process."""
    if nice := niceness():
        yield_to_processes(nice)


def yield_as_cluster() -> None:
    """Let the cluster yield to other sessions from now on. Call it once it runs, so that the start is not slowed."""
    if nice := niceness():
        yield_to_sessions(nice)


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
    """Let multiprocessing start its helpers as copies of this process, not again later: there are threads by then."""
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

    Replaces ``multiprocessing.util.spawnv_passfds``; call it while there is one thread. The last argument is the code.
    `descriptors`: what the child keeps open besides its standard streams. `first`: called in it, before the code.
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
