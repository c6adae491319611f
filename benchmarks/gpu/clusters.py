"""How fast GPU clusters start, cold and warm, with and without RAPIDS in the forkserver, and what they leave behind.

Writes JSON with, for each memory setting: seconds until the cluster runs, whether the processes that workers are forked
from have a CUDA context, and the GPU's memory after the end. Workers import cuDF while they start.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gpucluster
import psutil
from gpucluster.client.control import Control
from gpucluster.registry.store import Registry

from .devicememory import forkservers, has_context, settles_to, used_by_us
from .piece import write_json
from .presets import SETTINGS, WITHOUT_RAPIDS

LEFT_BYTES = 64 * 2**20
"""Other programs' memory may change by this much while we measure."""
RESTS_SECONDS = 0.5
"""A process that uses less than 0.01 s of CPU time in this period has finished its imports."""
PRELOAD = "GPUCLUSTER_PRELOAD_RAPIDS"


def measure(name: str, options: dict[str, Any], *, simulated: bool) -> dict[str, Any]:
    """Create a cluster with those options, look at it, stop it, and look at what is left."""
    if simulated:
        # The real RMM, where it is installed, asks the driver for memory, and the simulated one has none.
        options = {"rmm_track_allocations": False, **options}
    before = used_by_us()
    began = time.perf_counter()
    cluster = gpucluster.create("cuda", name=name.replace(" ", "-").lower(), n_workers=1, **options)
    created = time.perf_counter() - began
    figures: dict[str, Any] = {"create_seconds": created}
    try:
        pid = cluster.model.pid
        assert pid is not None
        figures["context_in_supervisor"] = has_context(pid)
        figures["context_in_forkserver"] = any(has_context(each) for each in forkservers(pid))
        client = cluster.get_client()
        try:
            # The same question with the other answer: it shows that a context is noticed.
            figures["context_in_worker"] = has_context(client.submit(os.getpid, pure=False).result(timeout=60))
            if not simulated:
                figures["sum"] = client.submit(_sum_on_device, pure=False).result(timeout=120)
                assert figures["sum"] == 499_500, f"the GPU computed {figures['sum']}"
        finally:
            client.close()
        began = time.perf_counter()
        cluster.restart()
        figures["restart_seconds"] = time.perf_counter() - began
    finally:
        began = time.perf_counter()
        cluster.stop()
        figures["stop_seconds"] = time.perf_counter() - began
    clean, used = settles_to(before, within=LEFT_BYTES)
    figures |= {"memory_before_bytes": before, "memory_after_bytes": used, "nothing_left": clean}
    return figures


def _sum_on_device() -> float:
    import cupy

    # A number: returning an array would create a CUDA context in the calling process.
    return float(cupy.arange(1000, dtype="float64").sum())


def _end(_number: int, _frame: object) -> None:
    raise SystemExit("ended by a signal")


@contextmanager
def own_registry(*, preload: bool | None = None) -> Iterator[None]:
    """Use a separate registry folder. `preload`: whether a standby imports RAPIDS; default: as for users.

    ``False``: each worker imports it. Clusters are stopped at the end, even when this process is terminated.
    """
    signal.signal(signal.SIGTERM, _end)
    before = {name: os.environ.get(name) for name in ("GPUCLUSTER_DIR", PRELOAD)}
    with tempfile.TemporaryDirectory(prefix="gp") as folder:
        os.environ["GPUCLUSTER_DIR"] = folder
        os.environ.pop(PRELOAD, None)
        if preload is not None:
            os.environ[PRELOAD] = "1" if preload else "0"
        try:
            yield
        finally:
            control = Control()
            control.close_standby()
            for model in control.list():
                if not model.state.ended:
                    control.stop(model.id)
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


def wait_for_standby(*, preload: bool, seconds: float = 120) -> None:
    """Start a standby and wait until the next cluster can be made from it, with RAPIDS where that shall be loaded.

    A standby says that it is ready before it has that; who takes their time has both.
    """
    Control().ensure_standby()
    registry = Registry()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        records = [registry.read(folder) for folder in registry.folders()]
        ready = [record for record in records if record is not None and record.kind == "standby" and record.ready]
        if any(not preload or (one.process is not None and _has_rapids(one.process.pid)) for one in ready):
            return
        time.sleep(0.1)
    raise SystemExit("The standby was never ready.")


def _has_rapids(supervisor: int) -> bool:
    """Return whether the process that workers are forked from has loaded RAPIDS, and rests."""
    processes = [psutil.Process(pid) for pid in forkservers(supervisor)]
    before = [process.cpu_times().user for process in processes]
    time.sleep(RESTS_SECONDS)
    maps = [Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8") for process in processes]
    return before == [process.cpu_times().user for process in processes] and any("libcudf.so" in each for each in maps)


def starts(file: Path, *, repeats: int, simulated: bool) -> dict[str, Any]:
    """Write down medians of cold and warm starts, with and without RAPIDS preloaded."""
    found: dict[str, Any] = {}
    for preload in (False, True):
        for warm in (False, True):
            runs = []
            for _ in range(repeats):
                with own_registry(preload=preload):
                    if warm:
                        wait_for_standby(preload=preload)
                    runs.append(measure("start", {}, simulated=simulated))
            key = f"{'warm' if warm else 'cold'}, {'with' if preload else 'without'} RAPIDS preloaded"
            medians = {
                name: statistics.median(run[name] for run in runs) for name in runs[0] if name.endswith("_seconds")
            }
            found[key] = {"median": medians, "runs": runs}
            write_json(file, found)
            print(key, medians, flush=True)
    return found


def settings(file: Path, *, simulated: bool) -> dict[str, Any]:
    """Record the outcome of each memory setting, and the reason for each failure."""
    found: dict[str, Any] = {}
    with own_registry():
        for name, options in SETTINGS.items():
            if simulated and name not in WITHOUT_RAPIDS:
                found[name] = {"skipped": "needs RAPIDS and a real GPU"}
                continue
            try:
                found[name] = measure(name, options, simulated=simulated)
            except Exception as error:  # the other settings are worth having
                found[name] = {"failed": f"{type(error).__name__}: {error}"}
            write_json(file, found)
            print(name, found[name], flush=True)
    return found


def troubles(figures: dict[str, Any]) -> list[str]:
    """Return in words what is wrong with one start: memory that is left, or contexts where none may be."""
    told = [] if figures["nothing_left"] else ["left GPU memory behind"]
    if not figures["context_in_worker"]:
        told.append("no context was seen in the worker, so that none in its parents proves nothing")
    parents = {"supervisor": figures["context_in_supervisor"], "forkserver": figures["context_in_forkserver"]}
    return told + [f"the {name} has a context" for name, has in parents.items() if has]


def main() -> int:
    """Measure and write the figures down; fail if a start failed, left memory behind, or a parent has a context."""
    parser = argparse.ArgumentParser(description="Start GPU clusters in all ways.")
    parser.add_argument("what", choices=("settings", "starts"))
    parser.add_argument("--figures", type=Path, required=True)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--simulated", action="store_true")
    options = parser.parse_args()
    if options.what == "settings":
        found = settings(options.figures, simulated=options.simulated)
        done = {name: [each] for name, each in found.items() if "skipped" not in each}
    else:
        found = starts(options.figures, repeats=options.repeats, simulated=options.simulated)
        done = {name: each["runs"] for name, each in found.items()}
    wrong = {
        name: sorted({told for run in runs for told in ([run["failed"]] if "failed" in run else troubles(run))})
        for name, runs in done.items()
    }
    for name, told in wrong.items():
        for sentence in told:
            print(f"{name}: {sentence}.")
    return 1 if any(wrong.values()) or not done else 0


if __name__ == "__main__":
    raise SystemExit(main())
