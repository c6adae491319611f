"""``python -m benchmarks.mpi``: the figures of Dask over MPI, in turns in one run; five minutes.

``--only links applications kmeans`` for parts. Nothing else should run on the machine.

Two clusters of the same transport differ by up to 16 % in what a shuffle takes, as long as they live: where the first
tasks happen to come to lie decides what has to move. So the applications are measured on fresh clusters again and again
(``--rounds``), and a second cluster over TCP shows how much two of the same differ.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.recording import record
from benchmarks.turns import compared

PAUSE_SECONDS = 0.05
PARTS = ("links", "applications", "kmeans")


def figures(found: dict[str, dict[str, list[float]]]) -> dict[str, Any]:
    """Return medians, and the median ratios of mpi to each other transport in the same turn."""
    return {what: compared(ways, "mpi", digits=9) for what, ways in found.items()}


def over_rounds(rounds: list[dict[str, dict[str, list[float]]]]) -> dict[str, Any]:
    """Return the figures of all turns, and the ratio of medians of each round."""
    table = figures(
        {
            what: {name: [took for one in rounds for took in one[what][name]] for name in ways}
            for what, ways in rounds[0].items()
        }
    )
    for what, row in table.items():
        for name, cell in row.items():
            if name != "mpi":
                medians = [statistics.median(one[what]["mpi"]) / statistics.median(one[what][name]) for one in rounds]
                cell["mpi_ratios_by_round"] = [round(ratio, 3) for ratio in medians]
        again = [statistics.median(one[what]["tcp, again"]) / statistics.median(one[what]["tcp"]) for one in rounds]
        row["tcp, again"]["tcp_ratios_by_round"] = [round(ratio, 3) for ratio in again]
    return table


def measured_links(mpiexec: str, repeats: int) -> dict[str, Any]:
    """Run two ranks that measure each other."""
    done = subprocess.run(
        [mpiexec, "-n", "2", sys.executable, "-m", "benchmarks.mpi.links", str(repeats)],
        check=True, stdout=subprocess.PIPE, text=True, timeout=400,
    )  # fmt: skip
    return figures(json.loads(done.stdout.splitlines()[-1]))


def measured_kmeans(client: Any, mpiexec: str, repeats: int) -> dict[str, list[float]]:
    """Fit the pixels of lesson 06 on the ranks of the cluster, and with mpi4py alone."""
    import dask.array as da
    import numpy as np
    from distributed import wait
    from gpucluster.learn import KMeans, config_context

    from benchmarks.kmeans import SMALL_CLUSTERS, SMALL_ITERATIONS, Ranks, small_data, timed

    found: dict[str, list[float]] = {"mpi": [], "workers' own links": [], "mpi4py": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small_data(folder)
        ranks = Ranks(folder, mpiexec)
        with client.as_current():
            pixels, start = np.load(folder / "small.npy"), np.load(folder / "small-start.npy")
            X = client.persist(da.from_array(pixels, chunks=(-(-len(pixels) // 4), 3), name=False))
            wait(X)
            parameters: dict[str, Any] = {"init": start, "n_init": 1, "max_iter": SMALL_ITERATIONS, "tol": 0}
            for turn in range(repeats + 1):
                for way, communicator in (("mpi", "mpi"), ("workers' own links", "workers")):
                    time.sleep(PAUSE_SECONDS)
                    with config_context(communicator=communicator):
                        took, _ = timed(lambda: KMeans(SMALL_CLUSTERS, **parameters).fit(X))
                    if turn:
                        found[way].append(took)
                time.sleep(PAUSE_SECONDS)
                alone = ranks.fit("small", SMALL_ITERATIONS)["seconds"]
                if turn:
                    found["mpi4py"].append(alone)
        ranks.close()
    return found


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mpi", description=__doc__)
    parser.add_argument("--repeats", type=int, default=9, help="turns; of the applications: in each round")
    parser.add_argument("--rounds", type=int, default=1, help="fresh clusters for the applications")
    parser.add_argument("--mpiexec", default=str(Path(sys.executable).with_name("mpiexec")))
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    found: dict[str, Any] = {"load_before": os.getloadavg()[0], "repeats": options.repeats}
    if "links" in options.only:
        found["links"] = measured_links(options.mpiexec, options.repeats)
    if {"applications", "kmeans"} & set(options.only):
        from benchmarks.mpi import applications

        rounds: list[applications.Taken] = []
        for left in range(options.rounds)[::-1]:
            with applications.clusters() as clients:
                if "applications" in options.only:
                    if not rounds:  # Before anything is asked of them.
                        found["idle_share_of_a_core"] = applications.idle(clients)
                    rounds.append(applications.measure(clients, options.repeats))
                if "kmeans" in options.only and not left:
                    fits = measured_kmeans(clients["mpi"], options.mpiexec, max(options.repeats, 15))
                    found["k-means of lesson 06"] = figures({"fit": fits})["fit"]
        if rounds:
            found["applications"] = over_rounds(rounds)
    record({"mpi": found}, name="mpi", packages=["distributed", "numpy", "mpi4py", "mpich"])


if __name__ == "__main__":
    main()
