"""Measure one scheduler with 1,000, 5,000 and more workers: ``python -m benchmarks.scale``.

Scheduler and workers are separate processes; the workers are simulated, their connections, heartbeats and messages
are real. Each worker needs an open file on both sides (``ulimit -Hn``).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

from distributed import Client, wait

from benchmarks.recording import record
from benchmarks.turns import cpu_seconds

PER_PROCESS = 5_000
TASKS_PER_WORKER = 5


def measured(n_workers: int, seconds: float) -> dict[str, Any]:
    """Return what this number of workers costs."""
    scheduler = _process("benchmarks.scale.scheduler")
    address = _line(scheduler)
    began = time.perf_counter()
    groups = [
        _process("benchmarks.scale.workers", address, str(first), str(min(PER_PROCESS, n_workers - first)))
        for first in range(0, n_workers, PER_PROCESS)
    ]
    try:
        for group in groups:
            _line(group)
        found: dict[str, Any] = {"connecting_seconds": round(time.perf_counter() - began, 1)}
        # One round of heartbeats, in which each worker learns how many there are.
        time.sleep(2 + n_workers / 400)
        for what in ("idle", "watched"):
            found[what] = _asked(scheduler, f"{what} {seconds}")
        with Client(address) as client:
            found["tasks"] = _tasks(client, scheduler, TASKS_PER_WORKER * n_workers)
    finally:
        for process in (*groups, scheduler):
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)
    return found


def _tasks(client: Client, scheduler: subprocess.Popen[str], n_tasks: int) -> dict[str, Any]:
    """Return how many tasks a second go through, and what one takes of the scheduler's processor time."""
    used = cpu_seconds(scheduler.pid)
    began = time.perf_counter()
    futures = client.map(int, range(n_tasks), pure=False)
    wait(futures)
    passed = time.perf_counter() - began
    used = cpu_seconds(scheduler.pid) - used
    del futures
    return {
        "tasks": n_tasks,
        "tasks_per_second": round(n_tasks / passed),
        "scheduler_ms_per_task": round(1000 * used / n_tasks, 2),
    }


def _process(module: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        raise RuntimeError(f"{process.args!r} ended with {process.wait()}.")
    return line


def _asked(process: subprocess.Popen[str], what: str) -> dict[str, Any]:
    assert process.stdin is not None
    print(what, file=process.stdin, flush=True)
    answer: dict[str, Any] = json.loads(_line(process))
    return answer


def main() -> None:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1_000, 5_000, 20_000])
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    found = {}
    for wanted in options.workers:
        n_workers = min(wanted, most - 200)
        if n_workers < wanted:
            print(f"{n_workers} workers instead of {wanted}: a process may have {most} files open here.")
        found[f"{n_workers} workers"] = measured(n_workers, options.seconds)
        print(json.dumps(found[f"{n_workers} workers"]), flush=True)
    record({"scale": found}, name="scale", packages=["distributed"])


if __name__ == "__main__":
    main()
