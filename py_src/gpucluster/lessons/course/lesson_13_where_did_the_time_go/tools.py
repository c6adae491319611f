"""What lesson 13 records and simulates."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...simulations.pipeline import Pipeline, counter_log, schedule, two_devices

if TYPE_CHECKING:
    from distributed import Client


# Tables with the names, columns and units that ``nsys export --type sqlite`` writes, from the simulated pipeline.


TO_DEVICE, TO_HOST, ON_DEVICE = 1, 2, 8
"""Numbers of CUPTI for the kinds of copies."""
_SECOND = 1_000_000_000


class Kernel(NamedTuple):
    """One kernel; times in nanoseconds."""

    start: int
    end: int
    device: int
    stream: int
    name: str


class Copy(NamedTuple):
    """One copy; times in nanoseconds."""

    start: int
    end: int
    device: int
    stream: int
    n_bytes: int
    kind: int


class _Capture(sqlite3.Connection):
    """A database that is closed with its last reference: Python 3.13 warns of one that is not closed."""

    def __del__(self) -> None:
        self.close()


def export(kernels: Iterable[Kernel], copies: Sequence[Copy]) -> sqlite3.Connection:
    """Return a database in memory. As with ``nsys``, a table of which there would be no row is not there."""
    connection = sqlite3.connect(":memory:", check_same_thread=False, factory=_Capture)
    connection.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)")
    names: dict[str, int] = {}
    rows = [(one.start, one.end, one.device, one.stream, names.setdefault(one.name, len(names))) for one in kernels]
    connection.executemany("INSERT INTO StringIds VALUES (?, ?)", [(number, name) for name, number in names.items()])
    if rows:
        connection.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
            "deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, shortName INTEGER NOT NULL)"
        )
        connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, ?)", rows)
    if copies:
        connection.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, "
            "deviceId INTEGER NOT NULL, streamId INTEGER NOT NULL, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL)"
        )
        connection.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, ?, ?, ?, ?)", copies)
    connection.commit()
    return connection


def captured(given: Pipeline, device: int = 0) -> tuple[list[Kernel], list[Copy]]:
    """Return kernels and copies of a pipeline: each batch has four kernels, two of them side by side."""
    kernels: list[Kernel] = []
    copies: list[Copy] = []
    for span in schedule(given):
        start, stop = round(span.start * _SECOND), round(span.stop * _SECOND)
        quarter = (stop - start) // 4
        if span.lane == "kernels":
            kernels += [
                Kernel(start, start + quarter, device, 7, "transform"),
                Kernel(start + quarter, start + 3 * quarter, device, 7, "distances"),
                Kernel(start + quarter, start + 2 * quarter, device, 13, "norms"),
                Kernel(start + 3 * quarter, stop, device, 7, "reduce"),
            ]
        elif span.lane == "copy in":
            copies.append(Copy(start, stop, device, 7, given.batch_bytes, TO_DEVICE))
        elif span.lane == "copy out":
            copies.append(Copy(start, stop, device, 7, given.result_bytes, TO_HOST))
    return kernels, copies


def simulated_capture() -> sqlite3.Connection:
    """Return the capture that the lesson queries: eight batches, none of them loaded ahead."""
    given = Pipeline(batches=8, load=0.030, copy_in=0.010, kernels=0.024, copy_out=0.002)
    return export(*captured(given))


# The five bottlenecks of the notes, each as counters over one minute, made by a simulation from stated ranges.


GIB = 2**30


@dataclass(frozen=True)
class Trace:
    """What the monitors of one job showed, one figure per second, in percent.

    Attributes
    ----------
    kernels : numpy.ndarray
        Share of the second in which a kernel ran (``sm`` of ``dmon``).
    copies : numpy.ndarray
        Share of the second in which data was copied between host and device.
    host : numpy.ndarray
        How busy the core was that loads the data.
    occupancy : numpy.ndarray
        Warps that were resident while a kernel ran, as a share of the most that fit.
    failed : bool
        Whether the job ended with "out of memory".
    free_bytes, largest_bytes, asked_bytes : int
        Memory of the device at the end: free, in the largest piece, and what was asked for last.
    """

    kernels: NDArray[np.float64]
    copies: NDArray[np.float64]
    host: NDArray[np.float64]
    occupancy: NDArray[np.float64]
    failed: bool
    free_bytes: int
    largest_bytes: int
    asked_bytes: int


RANGES: dict[str, tuple[tuple[float, float], ...]] = {
    # mean of:       kernels   copies   host      occupancy
    "waiting": ((12, 42), (2, 20), (4, 60), (35, 90)),
    "loading": ((12, 42), (2, 20), (88, 99), (35, 90)),
    "copying": ((15, 45), (46, 80), (5, 99), (35, 90)),
    "small kernels": ((60, 97), (2, 25), (5, 70), (4, 22)),
    "healthy": ((60, 97), (2, 25), (5, 70), (35, 90)),
}
"""In which range the mean of each figure lies; single seconds may be near 0 or 100."""
WORDS = ("fragmented", *RANGES)


def simulated(kind: str, rng: np.random.Generator, seconds: int = 60) -> Trace:
    """Return a trace of that kind."""
    fragmented = kind == "fragmented"
    base = str(rng.choice(list(RANGES))) if fragmented else kind
    kernels, copies, host, occupancy = (_figure(rng.uniform(*limits), rng, seconds) for limits in RANGES[base])
    free = int(rng.integers(4 * GIB, 30 * GIB))
    if fragmented:
        asked = int(free * rng.uniform(0.2, 0.95))
        largest = int(asked * rng.uniform(0.05, 0.9))
    else:
        largest = int(free * rng.uniform(0.5, 1.0))
        asked = int(largest * rng.uniform(0.01, 0.9))
    return Trace(kernels, copies, host, occupancy, fragmented, free, largest, asked)


def really_full(kind: str, rng: np.random.Generator) -> Trace:
    """Return a trace of that kind whose job asked for more than was free: out of memory, but not fragmented."""
    before = simulated(kind, rng)
    asked = int(before.free_bytes * rng.uniform(1.05, 3.0))
    return Trace(before.kernels, before.copies, before.host, before.occupancy, True, before.free_bytes,
                 before.largest_bytes, asked)  # fmt: skip


def _figure(mean: float, rng: np.random.Generator, seconds: int) -> NDArray[np.float64]:
    """Return percentages that go up and down around a mean, and have just that mean."""
    room = 0.9 * min(mean, 100 - mean)
    waves = np.sin(np.arange(seconds) * rng.uniform(0.3, 1.2)) + rng.normal(0, 0.4, seconds)
    waves -= waves.mean()
    figure: NDArray[np.float64] = mean + room * waves / max(np.abs(waves).max(), 1e-9)
    return figure


def mystery_traces() -> dict[str, Trace]:
    """Return the five of the lesson, A to E."""
    rng = np.random.default_rng(13)
    order = ("loading", "fragmented", "small kernels", "waiting", "copying")
    return {letter: simulated(kind, rng) for letter, kind in zip("ABCDE", order, strict=True)}


# Counters of the devices: from ``nvidia-smi dmon`` where there is one that answers, else simulated, and told which.


RECORDED = "etl-with-spill-cpu"
"""A recording that comes with gpucluster, of two workers without a GPU whose results go to disk and come back."""
_LINES = 10
_TIMEOUT_SECONDS = 30


class CounterLog(NamedTuple):
    """A log in the format of ``dmon``, and where it is from."""

    text: str
    simulated: bool
    source: str


def watch_devices(samples: int = _LINES) -> CounterLog:
    """Return what ``nvidia-smi dmon`` says now, or, where there is none, the log of the simulated pipeline."""
    command = shutil.which("nvidia-smi")
    if command is not None:
        try:
            done = subprocess.run(
                [command, "dmon", "-s", "pumt", "-d", "1", "-c", str(samples)],
                capture_output=True, text=True, timeout=_TIMEOUT_SECONDS + samples, stdin=subprocess.DEVNULL,
                check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            done = None
        if done is not None and done.returncode == 0 and done.stdout.lstrip().startswith("#"):
            return CounterLog(done.stdout, False, f"Measured here: nvidia-smi dmon -s pumt -d 1 -c {samples}")
    return CounterLog(simulated_log(), True, "SIMULATED from stated formulas (simulations/pipeline.py), not measured")


def simulated_log() -> str:
    """Return the log of the lesson's simulated devices."""
    return counter_log(two_devices())


# Timers that write down when each stage began and ended, and wait until the device is done.


class Event(NamedTuple):
    """A stage begins or ends.

    Attributes
    ----------
    what : str
        ``"begin"`` or ``"end"``.
    at : float
        Seconds on some clock.
    """

    stage: str
    what: str
    at: float


class StageTimers:
    """Note the events of stages, which may lie inside each other.

    Parameters
    ----------
    settle : callable, optional
        Called before each look at the clock: waits until all that was started has ended.

    Attributes
    ----------
    events : list of Event
        In the order in which they happened.
    """

    def __init__(self, settle: Callable[[], object] | None = None) -> None:
        self.events: list[Event] = []
        self._settle = settle or (lambda: None)
        self._began = self._now()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Note the beginning and the end of a ``with`` block, even when it fails."""
        self.events.append(Event(name, "begin", self._now()))
        try:
            yield
        finally:
            self.events.append(Event(name, "end", self._now()))

    def total(self) -> float:
        """Return the seconds since these timers were made."""
        return self._now() - self._began

    def _now(self) -> float:
        self._settle()
        return time.perf_counter()


def settler(array: Any) -> Callable[[], object]:
    """Return what waits for the device that an array lies on; on the host there is nothing to wait for."""
    if type(array).__module__.partition(".")[0] == "cupy":
        import cupy

        def wait() -> object:
            return cupy.cuda.get_current_stream().synchronize()

        return wait
    return lambda: None


# How fast one worker computes and moves data: the two lines of its roofline, and five kernels measured below them.


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
