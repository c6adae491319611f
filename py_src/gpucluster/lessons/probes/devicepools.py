"""RMM's own pool on a worker's GPU, and what a request of memory costs; without a GPU, what stands for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..simulations.pool import Event, Pool, Replay, replay

if TYPE_CHECKING:
    from ..lab import Lab


def has_device(lab: Lab) -> bool:
    """Return whether the workers have GPUs."""
    return bool(lab.cluster.model.has_gpus)


def run_trace(lab: Lab, trace: Sequence[Event], initial: int, maximum: int | None = None) -> Replay:
    """Put requests to a pool of RMM's on a worker's GPU; without one, to a simulated pool with the same rules.

    The pool is one of its own: what else the worker holds stays where it is.

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
    """Run on a worker: put requests to a new pool of RMM's, or say in a sentence why there is none."""
    try:
        import rmm
    except ImportError:
        return "The workers have no RMM: this is a simulated pool."
    counted = rmm.mr.StatisticsResourceAdaptor(rmm.mr.CudaMemoryResource())
    try:
        pool = rmm.mr.PoolMemoryResource(counted, initial_pool_size=initial, maximum_pool_size=maximum)
    except MemoryError as error:
        return f"The GPU has no {initial:,} bytes left for a pool ({error}): this is a simulated one."
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
    operating system gives anew each time, and host memory that is kept.
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
