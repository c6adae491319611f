"""``python -m benchmarks``: measure everything, write ``benchmarks/results/<date>.json`` and print the table."""

from __future__ import annotations

import argparse
from typing import Any

from . import clusters, responsiveness, telemetry, tinytasks, weight
from .recording import record
from .turns import summary


def measure(repeats: int, parts: set[str]) -> dict[str, Any]:
    """Run the chosen measurements."""
    results: dict[str, Any] = {}
    if "weight" in parts:
        results["bundle_bytes"] = weight.bundle_bytes()
        results["import_seconds"] = summary(weight.import_seconds(repeats))
    if "warm" in parts:
        results["warm_seconds"] = {
            name: {verb: summary(values) for verb, values in verbs.items()}
            for name, verbs in clusters.warm(repeats).items()
        }
    if "cold" in parts:
        results["cold_create_seconds"] = {name: summary(values) for name, values in clusters.cold(repeats).items()}
    if "status" in parts:
        results["status_longest_seconds"] = {
            name: summary(values) for name, values in responsiveness.status_latency(repeats).items()
        }
    if "telemetry" in parts:
        results["sample_of_1000_workers"] = telemetry.sample_of_a_thousand(repeats)
        results["tiny_tasks"] = tinytasks.added_cost(repeats)
    if "stop" in parts:
        times, kept = responsiveness.stop_server(repeats)
        results["server_stop_seconds"] = {name: summary(values) for name, values in times.items()}
        results["clusters_kept"] = {"of": repeats, "kept": kept}
    return results


def main() -> None:
    """Measure and write down."""
    every = ["weight", "warm", "cold", "status", "stop", "telemetry"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", nargs="+", choices=every, default=every)
    options = parser.parse_args()
    figures = measure(options.repeats, set(options.only))
    record(figures, packages=["distributed", "dask-labextension", "jupyterlab"])


if __name__ == "__main__":
    main()
