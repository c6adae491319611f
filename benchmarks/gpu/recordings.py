"""Record real gauge sessions: k-means, ETL that spills, and one that runs out of memory.

Each becomes a file for ``%gpucluster replay`` beside the proof's other results, with ``nvidia-smi dmon``'s log, RMM's
allocation logs and our own profile. Files that are worth keeping go to ``notebooks/data/recordings``.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import gpucluster
from gpucluster.protocol.recordings import RecordedSession
from gpucluster.recordings.reading import read_recording

from .clusters import own_registry
from .piece import write_json
from .speed import CLUSTERS, data

GIB = 2**30
COPIES = 60
"""Of the flights' table: twenty million rows."""
SPILLING_POOLS = (4 * GIB, 2 * GIB, GIB)
"""cuDF spills when the pool is full, and how much a join takes depends on its version: until something is spilled."""
SHOWN_SECONDS = 3.0
"""Before and after the work, so that the gauges are seen at rest."""


class NothingSpilled(Exception):
    """There was room for everything."""


def kmeans(_: Any) -> dict[str, Any]:
    """Fit k-means five times on rows that stay on the device."""
    import numpy as np
    from gpucluster import learn

    X = data()
    inertias = [
        float(learn.KMeans(CLUSTERS, init="k-means||", n_init=1, max_iter=20, random_state=seed).fit(X).inertia_)
        for seed in range(5)
    ]
    assert np.isfinite(inertias).all()
    return {"inertias": inertias}


def spilling_etl(client: Any) -> dict[str, Any]:
    """Join and sort tables that are larger than the memory that results may use."""
    import dask.dataframe as dd
    from gpucluster import datasets

    with _dask_config():
        flights = datasets.flights(COPIES, copies=COPIES)
        weather = datasets.weather()
        joined = flights.merge(weather, on=["origin", "time_hour"], how="left")
        ordered = joined.sort_values("dep_delay").persist()
        count = len(ordered)
        by_carrier = dd.from_pandas(ordered.groupby("carrier")["dep_delay"].mean().compute().to_pandas(), 1)
    statistics = client.submit(_spill_statistics, pure=False).result(timeout=60)
    if not statistics.get("gpu to cpu", [0])[0]:
        raise NothingSpilled("nothing was spilled")
    return {"rows": count, "carriers": len(by_carrier), "spill_statistics": statistics}


def _spill_statistics() -> dict[str, list[float]]:
    """Return bytes and seconds of each way that cuDF's buffers of this worker have gone."""
    from cudf.core.buffer.spill_manager import get_global_manager

    totals = get_global_manager().statistics.spill_totals
    return {f"{source} to {target}": list(spent) for (source, target), spent in totals.items()}


@contextmanager
def _dask_config() -> Iterator[None]:
    import dask

    with dask.config.set({"dataframe.backend": "cudf", "array.backend": "cupy"}):
        yield


def out_of_memory(client: Any) -> dict[str, Any]:
    """Ask for more and more memory until the device has none left; the cluster survives it."""
    told = ""
    for share in (0.3, 0.6, 0.9, 1.2):
        future = client.submit(_take, share, pure=False)
        try:
            future.result(timeout=120)
        except Exception as error:  # CuPy's and RMM's errors differ
            told = f"{type(error).__name__}: {str(error)[:200]}"
            break
        time.sleep(SHOWN_SECONDS)
    assert told, "more than the whole device was given out"
    assert client.submit(sum, [1, 2], pure=False).result(timeout=60) == 3, "the worker goes on"
    return {"told": told}


def _take(share: float) -> int:
    import cupy

    _, total = cupy.cuda.runtime.memGetInfo()
    held = cupy.cuda.Memory(int(share * total))
    time.sleep(2)
    return int(held.size)


def _flush_log() -> None:
    """Let RMM write down what it has noted of this worker."""
    from rmm import mr

    resource = mr.get_current_device_resource()
    while resource is not None:
        if isinstance(resource, mr.LoggingResourceAdaptor):
            resource.flush()
        resource = getattr(resource, "upstream_mr", None)


SESSIONS: dict[str, tuple[str, Callable[[Any], dict[str, Any]], dict[str, Any]]] = {
    "kmeans": (
        "k-means on the device",
        kmeans,
        {"rmm_pool_size": 8 * GIB, "rmm_maximum_pool_size": 32 * GIB, "rmm_allocator_external_lib_list": ["cupy"]},
    ),
    "etl-with-spill": (
        "A join and a sort that spill",
        spilling_etl,
        {"enable_cudf_spill": True, "cudf_spill_stats": 1},
    ),
    "out-of-memory": ("More memory than the device has", out_of_memory, {}),
}


@contextmanager
def dmon(log: Path) -> Iterator[None]:
    """Let ``nvidia-smi dmon`` record the same time."""
    command = shutil.which("nvidia-smi")
    if command is None:
        yield
        return
    with log.open("wb") as file:
        process = subprocess.Popen([command, "dmon", "-s", "pucm", "-d", "1", "-o", "T"], stdout=file, stderr=file)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def record(name: str, folder: Path) -> dict[str, Any]:
    """Record one session into a folder; returns what it computed and the size of the file."""
    title, work, options = SESSIONS[name]
    if not options.get("enable_cudf_spill"):
        return _record(name, folder, title, work, options)
    for pool in SPILLING_POOLS:
        with suppress(NothingSpilled):
            size = {"rmm_pool_size": pool, "rmm_maximum_pool_size": pool}
            return {**_record(name, folder, title, work, options | size), "pool_bytes": pool}
    raise NothingSpilled(f"nothing was spilled, not even with a pool of {SPILLING_POOLS[-1] / GIB:.0f} GiB")


def _record(
    name: str, folder: Path, title: str, work: Callable[[Any], dict[str, Any]], options: dict[str, Any]
) -> dict[str, Any]:
    file = folder / f"{name}.gpucluster.jsonl.gz"
    for earlier in folder.glob(f"{file.name}*"):  # whole, or cut off
        earlier.unlink()
    with tempfile.TemporaryDirectory() as logs:
        if "rmm_pool_size" in options:
            options = {**options, "rmm_log_directory": logs}
        with gpucluster.create("cuda", n_workers=1, **options) as cluster, dmon(folder / f"{name}.dmon.txt"):
            client = cluster.get_client()
            try:
                with cluster.recording(file, title=title, note=f"python -m benchmarks.gpu --only recordings ({name})"):
                    time.sleep(SHOWN_SECONDS)
                    with gpucluster.profile(cluster) as report:
                        found = work(client)
                    time.sleep(SHOWN_SECONDS)
                if "rmm_log_directory" in options:
                    client.submit(_flush_log, pure=False).result(timeout=60)
            finally:
                client.close()
        for log in Path(logs).iterdir():
            shutil.copy(log, folder / f"{name}.{log.name}")
    (folder / f"{name}.profile.json").write_text(report.to_json(), encoding="utf-8")
    if wrong := troubles(read_recording(file)):
        raise ValueError(f"The recording {' and '.join(wrong)}.")
    return {**found, "recording": file.name, "recording_bytes": file.stat().st_size}


def troubles(session: RecordedSession) -> list[str]:
    """Return in words why a recording is none of a real GPU at work."""
    told = [] if session.message is None else ["is damaged"]
    if session.recording.backend != "cuda" or not session.recording.gpus or session.recording.simulated:
        told.append("does not say that a real GPU was there")
    if not any(any(sample.column("vram_used_bytes")) for sample in session.samples):
        told.append("has no figures of GPU memory")
    return told


def main() -> int:
    """Record all sessions, or those that are named."""
    parser = argparse.ArgumentParser(description="Record gauge sessions on a GPU.")
    parser.add_argument("sessions", nargs="*", help=f"of {', '.join(SESSIONS)}; left out: all")
    parser.add_argument("--figures", type=Path, required=True)
    options = parser.parse_args()
    unknown = set(options.sessions) - SESSIONS.keys()
    if unknown:
        parser.error(f"there is no session {', '.join(sorted(unknown))}")
    found: dict[str, Any] = {}
    failed = False
    with own_registry():
        for name in options.sessions or SESSIONS:
            try:
                found[name] = record(name, options.figures.parent)
            except Exception as error:  # the other sessions are worth having
                found[name] = {"failed": f"{type(error).__name__}: {error}"}
                failed = True
            print(name, found[name], flush=True)
            write_json(options.figures, found)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
