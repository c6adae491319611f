"""What a pool saves: the same allocations through RMM with and without one, each written down by RMM itself.

The logs become Parquet files, with the columns of RMM's log: Thread, Time, Action, Pointer, Size, Stream.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gpucluster

from .clusters import own_registry
from .piece import write_json

MIB = 2**20
POOL = 2048 * MIB
ROUNDS = 40
"""Each allocates and frees sixteen buffers of 1 to 64 MiB: most of a data frame's life."""
REPEATS = 5


def churn(pool: bool, log: str) -> dict[str, Any]:
    """Allocate and free in this worker; return the seconds of each repeat, and RMM's log of all."""
    import time

    import rmm

    sizes = [MIB << (number % 7) for number in range(16)]
    rmm.reinitialize(pool_allocator=pool, initial_pool_size=POOL if pool else None, logging=True, log_file_name=log)
    seconds = []
    try:
        for _ in range(REPEATS):
            began = time.perf_counter()
            for _ in range(ROUNDS):
                held = [rmm.DeviceBuffer(size=size) for size in sizes]
                held.reverse()
                while held:
                    held.pop()
            seconds.append(time.perf_counter() - began)
        rmm.mr.get_current_device_resource().flush()
        [written] = Path(log).parent.glob(f"{Path(log).stem}*")
        return {"seconds": seconds, "log": written.read_text(encoding="utf-8")}
    finally:
        rmm.reinitialize()


def as_parquet(log: str, file: Path) -> int:
    """Write RMM's log as Parquet; returns the number of its lines.

    Parameters
    ----------
    log : str
        Comma-separated, with a line of names, as RMM writes it.
    file : Path
    """
    from io import StringIO

    import pandas as pd

    table = pd.read_csv(StringIO(log))
    table.to_parquet(file, compression="zstd", index=False)
    return len(table)


def compare(folder: Path, work: Callable[[bool, str], dict[str, Any]] = churn) -> dict[str, Any]:
    """Run the same work in a GPU worker with and without a pool, and keep the logs in a folder."""
    found: dict[str, Any] = {"rounds": ROUNDS, "repeats": REPEATS}
    with gpucluster.create("cuda", n_workers=1) as cluster, tempfile.TemporaryDirectory() as logs:
        client = cluster.get_client()
        try:
            for name, pool in (("with pool", True), ("without pool", False)):
                stem = name.replace(" ", "-")
                told = client.submit(work, pool, f"{logs}/{stem}.csv", pure=False).result(timeout=120)
                n_lines = as_parquet(told["log"], folder / f"allocations-{stem}.parquet")
                median = statistics.median(told["seconds"])
                found[name] = {"seconds": told["seconds"], "median": median, "log_lines": n_lines}
        finally:
            client.close()
    found["times_faster_with_pool"] = found["without pool"]["median"] / found["with pool"]["median"]
    return found


def main() -> int:
    """Measure and write the figures down."""
    parser = argparse.ArgumentParser(description="Allocate with and without a pool.")
    parser.add_argument("--figures", type=Path, required=True)
    options = parser.parse_args()
    with own_registry():
        found = compare(options.figures.parent)
    print(f"{found['times_faster_with_pool']:.1f} times faster with a pool", flush=True)
    write_json(options.figures, found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
