"""Make the recordings of CPU workers that come with gpucluster.

    python scripts/make_recordings.py [NAME …]

Each takes less than a minute. Recordings of GPUs are made on a machine that has one; ``docs/gpu-proof.md`` says how.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import gpucluster
from distributed import Client, KilledWorker, wait
from gpucluster.datasets import flights, patches, pixels, weather
from gpucluster.learn import KMeans

FOLDER = Path(__file__).parents[1] / "notebooks" / "data" / "recordings"
REST_SECONDS = 3
"""Before and after the work, so that the gauges are seen at rest."""
MIB = 2**20


@dataclass(frozen=True)
class Session:
    """What is recorded, on two CPU workers."""

    title: str
    note: str
    memory_limit: str
    work: Callable[[Client], None]


def kmeans(_: Client) -> None:
    """Fit k-means three times."""
    for number in (4, 8):
        KMeans(n_clusters=number, random_state=0).fit(pixels(n_blocks=4))
        time.sleep(1)
    squares = patches(8, n_blocks=8, photo="china").persist()
    model = KMeans(n_clusters=16, random_state=0, max_iter=30).fit(squares)
    labels = model.predict(squares).persist()
    labels.sum().compute()


def spilling_etl(_: Client) -> None:
    """Keep a join that is larger than the workers' memory, and use it twice."""
    table = flights(24, copies=12).merge(weather(), on=["origin", "time_hour"], how="left").persist()
    wait(table)
    print(f"{len(table)} rows")
    time.sleep(1)
    print(table.groupby("carrier")["dep_delay"].mean().compute())


def out_of_memory(client: Client) -> None:
    """Let a task take more and more memory until its worker is killed, four times; the cluster goes on."""
    try:
        client.submit(_hoard, pure=False).result()
    except KilledWorker as error:
        print(error)
    client.wait_for_workers(2)
    print(client.submit(sum, [1, 2], pure=False).result())


def _hoard() -> int:
    held = []
    while True:
        held.append(b"x" * (40 * MIB))
        time.sleep(0.5)


SESSIONS = {
    "kmeans-cpu": Session(
        "k-means on two CPU workers",
        "gpucluster.learn.KMeans on the pixels and the 8 × 8 patches of a photo",
        "1 GiB",
        kmeans,
    ),
    "etl-with-spill-cpu": Session(
        "A join that spills to disk, on two CPU workers",
        "flights(24, copies=12).merge(weather()).persist(), then a mean by carrier; 600 MiB per worker",
        "600 MiB",
        spilling_etl,
    ),
    "out-of-memory-cpu": Session(
        "A task that takes all memory, on two CPU workers",
        "A task that keeps 40 MiB more every half second; 600 MiB per worker",
        "600 MiB",
        out_of_memory,
    ),
}


def record(name: str) -> None:
    """Record one session."""
    session = SESSIONS[name]
    cluster = gpucluster.create("local", n_workers=2, memory_limit=session.memory_limit, name=name)
    with cluster, cluster.get_client() as client:
        file = FOLDER / f"{name}.gpucluster.jsonl.gz"
        recorder = cluster.recording(file, title=session.title, note=session.note)
        with recorder:
            time.sleep(REST_SECONDS)
            session.work(client)
            time.sleep(REST_SECONDS)
        written = recorder.stop()
    print(f"{written.samples} samples, {written.size_bytes} bytes: {written.path}")


def main() -> int:
    """Record the sessions that are named, or all."""
    parser = argparse.ArgumentParser(description="Make the recordings of CPU workers that come with gpucluster.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SESSIONS)}; left out: all")
    names = parser.parse_args().names or list(SESSIONS)
    if unknown := set(names) - SESSIONS.keys():
        parser.error(f"there is no session {', '.join(sorted(unknown))}")
    for name in names:
        record(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
