"""What ``%%gpucluster profile`` costs the code that it measures: ``python -m benchmarks.profiling``.

The same tiny tasks with and without a profile, taking turns on one cluster of two workers: wall time, and the CPU
time of the scheduler's process, which says more on a busy machine. And the recorder's own cost of one task.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from typing import Any

TASKS = 1000
TURNS = 5


def one_run(client: Any, turn: int) -> tuple[float, float]:
    """Return the seconds of one computation, and of the scheduler's CPU."""
    cpu = client.run_on_scheduler(time.process_time)
    begin = time.perf_counter()
    client.gather(client.map(lambda number, turn: number + turn, range(TASKS), turn=turn, pure=False))
    seconds = time.perf_counter() - begin
    return seconds, client.run_on_scheduler(time.process_time) - cpu


def per_task_microseconds() -> float:
    """Return what the scheduler's recorder spends on one task."""
    from gpucluster.profiling.recorders.tasks import TaskSums

    sums = TaskSums(0.0)
    count = 200_000
    step = {"action": "compute", "start": 1.0, "stop": 1.001}
    facts = {"worker": "tls://127.0.0.1:1", "thread": 1, "nbytes": 28, "startstops": [step]}
    begin = time.perf_counter()
    for _ in range(count):
        sums.add("inc", False, facts)
    return (time.perf_counter() - begin) / count * 1e6


def main() -> None:
    """Measure and print."""
    os.environ["GPUCLUSTER_DIR"] = tempfile.mkdtemp(prefix="gpc", dir="/tmp")
    import gpucluster

    plain: list[tuple[float, float]] = []
    profiled: list[tuple[float, float]] = []
    around: list[float] = []
    with gpucluster.create("local", n_workers=2) as cluster, cluster.get_client() as client:
        one_run(client, -1)
        for turn in range(TURNS):
            plain.append(one_run(client, 2 * turn))
            begin = time.perf_counter()
            with gpucluster.profile(client) as report:
                profiled.append(one_run(client, 2 * turn + 1))
            around.append(time.perf_counter() - begin - report.wall_seconds)
    for place, name in enumerate(("wall time", "scheduler's CPU time")):
        without, with_it = [run[place] for run in plain], [run[place] for run in profiled]
        ratio = statistics.median(second / first for first, second in zip(without, with_it, strict=True))
        print(f"{name} of {TASKS} tiny tasks: {_of(without)} without, {_of(with_it)} with; median ratio {ratio:.3f}")
    print(f"before and after the code: {_of(around)}")
    print(f"recorder on the scheduler: {per_task_microseconds():.1f} µs per task")


def _of(values: list[float]) -> str:
    return f"{statistics.median(values):.2f} s ({min(values):.2f}–{max(values):.2f})"


if __name__ == "__main__":
    main()
