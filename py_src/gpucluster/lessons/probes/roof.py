"""How fast one worker computes and moves data: the two lines of its roofline, and five kernels measured below them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .stages import settler

if TYPE_CHECKING:
    from distributed import Client

_REPEATS = 3


class Measured(NamedTuple):
    """One kernel as it ran.

    Attributes
    ----------
    flops, n_bytes : float
        Counted by hand: operations, and bytes if each array is moved once.
    seconds : float
        The best of three runs.
    """

    flops: float
    n_bytes: float
    seconds: float


class Roof(NamedTuple):
    """What one worker reached, in operations and bytes per second, and the five kernels."""

    peak: float
    bandwidth: float
    kernels: dict[str, Measured]
    library: str


def measure_roof(client: Client) -> Roof:
    """Measure one worker, in the array library of the lesson; the other workers are left idle meanwhile."""
    import dask.array as da

    # An array made by Dask's backend has the type of the lesson's blocks.
    like = da.ones((1,), chunks=1, dtype="float32").to_backend()
    block = client.compute(like.to_delayed().ravel()[0])
    roof: Roof = client.submit(_measure, block, pure=False).result()
    return roof


def _measure(like: Any) -> Roof:
    wait, library = settler(like), type(like).__module__.partition(".")[0]
    times = 1 if library == "numpy" else 4  # what keeps a processor busy for a while is over at once on a device
    size = 1400 * times
    a = np.asarray(np.random.default_rng(0).random((size, size)), dtype="float32", like=like)
    x = np.asarray(np.ones(8_000_000 * times**2), dtype="float32", like=like)
    y, out = x.copy(), x.copy()
    tall = a[:, :64].copy().repeat(20 * times, axis=0)  # 28,000 × 64 on a processor
    few = a[:8, :64].copy()
    n, length = len(x), len(tall)
    kernels: dict[str, Measured] = {
        "sum": Measured(n, 4 * n, _best(lambda: x.sum(), wait)),
        "add": Measured(n, 12 * n, _best(lambda: np.add(x, y, out=out), wait)),
        "scale in place": Measured(n, 8 * n, _best(lambda: np.multiply(out, np.float32(1.0), out=out), wait)),
        "distances to 8": Measured(2 * length * 8 * 64, 4 * (length * 64 + 8 * 64 + length * 8),
                                   _best(lambda: tall @ few.T, wait)),
        "matrix product": Measured(2 * size**3, 12 * size**2, _best(lambda: a @ a, wait)),
    }  # fmt: skip
    copied = _best(lambda: np.copyto(out, x), wait)
    peak = max(one.flops / one.seconds for one in kernels.values())
    # What moved the most bytes per second is the line: a copy, or a kernel that did better.
    bandwidth = max(8 * n / copied, *(kernels[name].n_bytes / kernels[name].seconds for name in ("sum", "add")))
    return Roof(peak, bandwidth, kernels, library)


def _best(work: Callable[[], object], wait: Callable[[], object]) -> float:
    work()
    wait()
    seconds = []
    for _ in range(_REPEATS):
        began = time.perf_counter()
        work()
        wait()
        seconds.append(time.perf_counter() - began)
    return max(min(seconds), 1e-9)
