"""What lesson 11 measures memory with."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ....dask_internals.scheduler_information import known_workers
from ....dask_internals.workers.memory import has_device_tiers, managed_bytes, spilled_bytes, tier_bytes
from ....protocol.sizes import format_size
from .simulations import Event, Pool, Replay, replay

if TYPE_CHECKING:
    from distributed import Client

    from ...lab import Lab


# RMM's own pool on a worker's GPU, and what a request of memory costs; without a GPU, what stands for them.


def has_device(lab: Lab) -> bool:
    """Return whether the workers have GPUs."""
    return bool(lab.cluster.model.has_gpus)


def run_trace(lab: Lab, trace: Sequence[Event], initial: int, maximum: int | None = None) -> Replay:
    """Put requests to a pool of RMM's on a worker's GPU; without one, to a simulated pool with the same rules.

    The pool is separate: everything else that the worker holds stays where it is.

    Parameters
    ----------
    trace : sequence of tuple
        ``("allocate", name, bytes)`` and ``("free", name)``.
    initial, maximum : int
        Sizes of the pool in bytes.
    """
    if has_device(lab):
        found = lab.client.submit(replay_on_device, tuple(trace), initial, maximum, pure=False).result()
        if isinstance(found, Replay):
            return found
        print(found)
    return replay(trace, Pool(initial, maximum))


def replay_on_device(trace: Sequence[Event], initial: int, maximum: int | None) -> Replay | str:
    """Run on a worker: put requests to a new pool of RMM's, or explain why there is none."""
    try:
        import rmm
    except ImportError:
        return "The workers have no RMM: this pool is simulated."
    counted = rmm.mr.StatisticsResourceAdaptor(rmm.mr.CudaMemoryResource())
    try:
        pool = rmm.mr.PoolMemoryResource(counted, initial_pool_size=initial, maximum_pool_size=maximum)
    except MemoryError as error:
        return f"The GPU does not have {initial:,} bytes left for a pool ({error}): this one is simulated."
    found = replay(trace, pool, "RMM's pool on the GPU")
    return replace(found, requests_to_card=counted.allocation_counts.total_count)


@dataclass(frozen=True)
class Times:
    """How long one request takes, by what answers it.

    Attributes
    ----------
    microseconds : dict
        Median of each.
    place : str
        Where it was measured, and with what.
    """

    microseconds: dict[str, float]
    place: str

    def __repr__(self) -> str:
        width = max(map(len, self.microseconds))
        lines = [f"{name:<{width}}  {value:10,.1f} µs" for name, value in self.microseconds.items()]
        return "\n".join([f"one request, median, {self.place}", *lines])


def time_requests(lab: Lab, nbytes: int, repeats: int = 50) -> Times:
    """Measure on a worker what it costs to ask for memory, to use it, and to give it back.

    On a GPU: by ``cudaMalloc``, by a pool, and by the asynchronous allocator of CUDA. Without one: host memory that the
    operating system provides again each time, and host memory that is kept.
    """
    function = _times_on_device if has_device(lab) else _times_on_host
    found: Times = lab.client.submit(function, nbytes, repeats, pure=False).result()
    return found


def _times_on_host(nbytes: int, repeats: int) -> Times:
    kept = np.empty(nbytes, dtype=np.uint8)

    def anew() -> None:
        np.empty(nbytes, dtype=np.uint8).fill(1)

    def again() -> None:
        kept.fill(1)

    ways = {"from the operating system": anew, "kept from before": again}
    return Times({name: _median(way, repeats) for name, way in ways.items()}, f"{nbytes:,} bytes of host memory")


def _times_on_device(nbytes: int, repeats: int) -> Times:
    import rmm

    card = rmm.mr.CudaMemoryResource()
    resources = {
        "cudaMalloc": card,
        "pool": rmm.mr.PoolMemoryResource(card, initial_pool_size=-(-4 * nbytes // 256) * 256),
        "asynchronous": rmm.mr.CudaAsyncMemoryResource(),
    }
    found = {}
    for name, resource in resources.items():

        def ask(resource: Any = resource) -> None:
            resource.deallocate(resource.allocate(nbytes), nbytes)

        ask()  # the warm-up
        found[name] = _median(ask, repeats)
    return Times(found, f"{nbytes:,} bytes on the GPU, RMM {rmm.__version__}")


def _median(function: Callable[[], None], repeats: int) -> float:
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - began)
    return float(np.median(seconds)) * 1e6


_BRANCHES = r"""
extern "C" __global__ void branches(const bool* takes_a, float* result, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = (float)i;
    if (takes_a[i]) { for (int s = 0; s < steps; ++s) x = x * 1.000001f + 0.5f; }
    else            { for (int s = 0; s < steps; ++s) x = x * 0.999999f - 0.5f; }
    result[i] = x;
}
"""


def time_branches(lab: Lab, orders: dict[str, Any], steps: int = 2000) -> dict[str, float]:
    """Run the two sides of an ``if`` on a worker's GPU for each order of the threads; return milliseconds.

    Empty where there is no GPU: no figure of another machine stands in for it.
    """
    if not has_device(lab):
        print("No GPU here: the steps above are counted, not timed.")
        return {}
    found: dict[str, float] = lab.client.submit(_branches_on_device, orders, steps, pure=False).result()
    return found


def _branches_on_device(orders: dict[str, Any], steps: int) -> dict[str, float]:
    import cupy
    from cupyx.profiler import benchmark  # type: ignore[import-not-found]

    kernel = cupy.RawKernel(_BRANCHES, "branches")
    found = {}
    for name, takes_a in orders.items():
        given = cupy.asarray(np.asarray(takes_a, dtype=bool))
        result = cupy.empty(len(given), dtype=cupy.float32)
        threads = 256
        arguments = ((-(-len(given) // threads),), (threads,), (given, result, np.int32(len(given)), np.int32(steps)))
        times = benchmark(kernel, arguments, n_repeat=20, n_warmup=3).gpu_times
        found[name] = float(np.median(times)) * 1e3
    return found


# How much memory is in use? The answers of all who can be asked, beside each other.


@dataclass(frozen=True)
class View:
    """What one of them says.

    Attributes
    ----------
    who : str
        Who was asked.
    nbytes : int
        What the answer is.
    counts : str
        What is counted.
    """

    who: str
    nbytes: int
    counts: str


class Views(list[View]):
    """The answers, as lines of text."""

    def __repr__(self) -> str:
        width = max(len(view.who) for view in self)
        return "\n".join(f"{view.who:<{width}}  {format_size(view.nbytes):>9}  {view.counts}" for view in self)


def views(lab: Lab) -> Views:
    """Ask on one worker: Dask, the libraries that allocate, and the operating system or the driver."""
    function = _on_device if has_device(lab) else _on_host
    answers = lab.client.run(function, workers=list(known_workers(lab.client))).values()
    # Of the worker that holds most: elsewhere there may be nothing to see.
    return Views(View(*one) for one in max(answers, key=lambda found: found[0][1]))


def _on_host(dask_worker: Any) -> list[tuple[str, int, str]]:
    import psutil

    process = psutil.Process()
    return [
        ("Dask", int(managed_bytes(dask_worker)), "results that this worker has"),
        ("operating system", int(process.memory_info().rss), "all memory of the process, including libraries"),
        ("the machine", int(psutil.virtual_memory().used), "all processes of all users"),
    ]


def _on_device(dask_worker: Any) -> list[tuple[str, int, str]]:
    found = []
    if has_device_tiers(dask_worker):
        found.append(("Dask", int(tier_bytes(dask_worker, "device") or 0), "results of tasks in GPU memory"))
    with suppress(ImportError):
        import cupy

        used = int(cupy.get_default_memory_pool().used_bytes())
        found.append(("CuPy's own pool", used, "only CuPy arrays, without those from RMM"))
    with suppress(ImportError):
        found += _of_rmm()
    with suppress(ImportError):
        import cupy

        free, total = cupy.cuda.runtime.memGetInfo()
        found.append(("the driver", int(total - free), "the whole GPU: all processes, their contexts, whole pools"))
    return found


def _of_rmm() -> list[tuple[str, int, str]]:
    import rmm

    found: list[tuple[str, int, str]] = []
    resource = rmm.mr.get_current_device_resource()
    while resource is not None:
        if hasattr(resource, "get_allocated_bytes"):
            found.append(
                ("RMM, given out", int(resource.get_allocated_bytes()), "what libraries currently hold through RMM")
            )
        if hasattr(resource, "pool_size"):
            found.append(("RMM, pool", int(resource.pool_size()), "taken from the GPU, in use or not"))
        resource = getattr(resource, "upstream_mr", None)
    return found


# A worker of Dask with so little memory that it has to write results to disk.


_TRIES, _PAUSE = 100, 0.05


def _held(dask_worker: Any) -> tuple[int, int, int]:
    spilled = spilled_bytes(dask_worker)
    assert spilled is not None
    return int(managed_bytes(dask_worker)), int(spilled.memory), int(spilled.disk)


@dataclass(frozen=True)
class SmallWorker:
    """The worker.

    Attributes
    ----------
    client : distributed.Client
        Connected to it.
    folder : pathlib.Path
        Below this one it writes what does not fit.
    """

    client: Client
    folder: Path

    def files(self) -> list[Path]:
        """Return the files that hold results."""
        return [path for path in self.folder.rglob("storage/*") if path.is_file()]

    def files_left(self) -> int:
        """Return how many files are there when the worker has deleted what is not needed."""
        for _ in range(_TRIES):
            if not (left := self.files()):
                break
            time.sleep(_PAUSE)
        return len(left)

    def settled(self) -> tuple[int, int]:
        """Wait until the scheduler knows what the worker knows; return the bytes in memory and those on disk."""
        for _ in range(_TRIES):
            [known] = self.client.run(_held).values()
            [worker] = known_workers(self.client).values()
            spilled = worker["metrics"]["spilled_bytes"]
            if (worker["metrics"]["managed_bytes"], spilled["memory"], spilled["disk"]) == known:
                break
            time.sleep(_PAUSE)
        managed, spilled_memory, spilled_disk = known
        return managed - spilled_memory, spilled_disk


@contextmanager
def spilling_worker(memory_limit: str = "100 MB", target: float = 0.6) -> Iterator[SmallWorker]:
    """One worker as a thread of this process, which writes results to disk above a share of its limit.

    Of Dask's four thresholds only ``target`` acts: the others look at the memory of the process, and this process is
    the notebook.
    """
    import dask
    from distributed import Client, LocalCluster

    thresholds = {"target": target, "spill": False, "pause": False, "terminate": False}
    with tempfile.TemporaryDirectory(prefix="gpucluster-", ignore_cleanup_errors=True) as folder:
        settings: dict[str, Any] = {f"distributed.worker.memory.{name}": value for name, value in thresholds.items()}
        settings |= {
            "temporary-directory": folder,
            "distributed.scheduler.active-memory-manager.start": False,
            "dataframe.backend": "pandas",
            "array.backend": "numpy",
        }
        with (
            dask.config.set(settings),
            LocalCluster(
                n_workers=1,
                threads_per_worker=1,
                processes=False,
                dashboard_address="127.0.0.1:0",
                worker_dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                memory_limit=memory_limit,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            client.wait_for_workers(1)
            yield SmallWorker(client, Path(folder))


# References among the variables of a notebook, and what the notebook itself remembers.


_DEEPEST = 4
_MOST = 10_000
_OWN = {"get_ipython", "exit", "quit", "open"}


def who_refers(names: Mapping[str, Any], what: Any) -> tuple[dict[str, list[str]], list[str], str]:
    """Look at variables, at what is in their lists and dictionaries, and at the arrays that views are views of.

    Parameters
    ----------
    names : mapping
        Variables, such as ``globals()``.
    what : object
        The one that is looked for.

    Returns
    -------
    refers : dict
        For each variable or object, the names of those that it refers to.
    variables : list of str
        Those names that are variables.
    target : str
        The name that stands for the object that is looked for.
    """
    refers: dict[str, list[str]] = {}
    known: dict[int, str] = {id(what): "(the array)"}

    def look(value: Any, deep: int) -> str | None:
        if id(value) in known:
            return known[id(value)]
        parts = _parts(value)
        if parts is None or deep > _DEEPEST or len(refers) > _MOST:
            return None
        name = known[id(value)] = f"({type(value).__name__} {len(known)})"
        refers[name] = []
        refers[name] = [found for part in parts if (found := look(part, deep + 1)) is not None]
        return name

    refers["(the array)"] = []
    variables = [name for name in names if name not in _OWN]
    for name in variables:
        found = look(names[name], 0)
        refers[name] = [] if found is None else [found]
    return refers, variables, "(the array)"


def forget_outputs() -> None:
    """Let the notebook forget what its cells have shown: ``%reset -f out``, and the last three, which that leaves."""
    import IPython

    shell: Any = IPython.get_ipython()
    if shell is not None:
        shell.displayhook.flush()
        shell.user_ns_hidden.update(dict.fromkeys(("_", "__", "___"), ""))


def _parts(value: Any) -> list[Any] | None:
    if type(value) in (list, tuple, set, frozenset):
        return list(value)[:_MOST]
    if isinstance(value, dict):
        return list(value.values())[:_MOST]
    if isinstance(value, np.ndarray):
        return [value.base]
    return None
