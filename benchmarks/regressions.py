"""Whether ``gpucluster history --compare`` finds groups that became 10 to 30 % slower, on a real cluster.

Five runs before and five after, by scripts with four kinds of tasks. Ten times one kind does more work after; ten times
nothing changes. Usage: ``python -m benchmarks.regressions [CASES]``. The machine should be quiet.
"""

from __future__ import annotations

import json
import sys
import time
from statistics import median, stdev
from typing import Any
from uuid import uuid4

import gpucluster
import numpy as np
from gpucluster.client.history.reading import compare_history
from gpucluster.registry.store import Registry

RUNS = 5
KINDS = ("read", "clean", "join", "reduce")
N_TASKS = 12
LOOPS = 120


def work(_: Any, loops: int) -> float:
    """Compute for some 30 ms."""
    block = np.linspace(0.1, 1.0, 20_000)
    for _ in range(loops):
        block = np.sqrt(block + 0.1)
    return float(block.sum())


def run(cluster: Any, slower: str | None, factor: float) -> str:
    """Run the script once; returns the name of its client."""
    with cluster.get_client(set_as_default=False) as client:
        before: list[Any] = list(range(N_TASKS))
        for kind in KINDS:
            loops = round(LOOPS * (factor if kind == slower else 1))
            name = f"{kind}-{uuid4().hex}"
            before = [client.submit(work, one, loops, key=(name, place)) for place, one in enumerate(before)]
        client.gather(before)
        return str(client.id)


def case(cluster: Any, number: int, factor: float) -> dict[str, Any]:
    """Run before and after, and compare."""
    slower = KINDS[number % len(KINDS)] if factor > 1 else None
    names = [[run(cluster, slower if after else None, factor) for _ in range(RUNS)] for after in (False, True)]
    time.sleep(2)  # Until the ends are written.
    found = compare_history(Registry(), *map(",".join, names))
    return {"slower": slower, "factor": factor, "found": found.slower,
            "ratios": {group.name: round(group.ratio, 3) for group in found.groups}}  # fmt: skip


def main(n_cases: int) -> None:
    cluster = gpucluster.create("local", n_workers=2, threads_per_worker=1, memory_limit="512 MiB")
    try:
        run(cluster, None, 1.0)
        factors = [1.1 + 0.2 * number / max(1, n_cases - 1) for number in range(n_cases)]
        changed = [case(cluster, number, factor) for number, factor in enumerate(factors)]
        same = [case(cluster, number, 1.0) for number in range(n_cases)]
    finally:
        cluster.close()
    for one in (*changed, *same):
        print(json.dumps(one))
    noise = [ratio for one in same for ratio in one["ratios"].values()]
    print(f"found and named: {sum(one['slower'] in one['found'] for one in changed)} of {n_cases}")
    print(f"others called slower meanwhile: {sum(len(set(one['found']) - {one['slower']}) for one in changed)}")
    print(f"unchanged pairs called slower: {sum(bool(one['found']) for one in same)} of {n_cases}")
    print(f"ratios of medians without a change: {median(noise):.3f} ± {stdev(noise):.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
