"""What each helper of a start is worth: with and without it, in turns, in one run.

``python -m benchmarks.start_helpers [--repeats 10] [--only early turn sparing wakeups]``. A helper is
switched off from outside, by a ``sitecustomize`` that both sides load.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from .recording import record
from .starting import PAUSE_SECONDS, registry
from .turns import cpu_seconds, seconds

WITHOUT = "GPUCLUSTER_WITHOUT"
SITECUSTOMIZE = """
import importlib.machinery, os, sys

PATCHES = {
    "early": ("gpucluster.client.starting.early_supervisor", "module.start_early = lambda: None"),
    "turn": ("gpucluster.sharing.turns", "module.Turn.take = classmethod(lambda cls: None)"),
    "sparing": ("gpucluster.supervisor.process.preloading", "module.spare_where_many_share = lambda: None"),
    "wakeups": ("gpucluster.supervisor.process.warmup", "module.reduce_wakeups = lambda: None"),
    "": ("gpucluster.sharing.turns", "module.MOST_OF_A_USER = 100"),
}
NAME, CODE = PATCHES[os.environ.get("GPUCLUSTER_WITHOUT", "")]


class Finder:
    def find_spec(self, name, path=None, target=None):
        if name != NAME:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            exec(CODE, {"module": module})

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder())
"""
"""With nothing left out, starts of one user count as if they were those of many: else only two of them take turns."""
AT_ONCE = 6
WORKERS = 8
SETTLED_SECONDS = 30.0
"""By then the process that workers are forked from has imported what later ones have."""
REST_SECONDS = 45.0
SHARED_SITE = "sharing:\n  slots_per_gpu: 2\n"


def command(*words: str) -> None:
    """Run the command line."""
    subprocess.run([sys.executable, "-m", "gpucluster.cli", *words], check=True, capture_output=True)


def create(name: str = "measured", workers: int = 2) -> float:
    """Return the seconds of the command."""
    return seconds(lambda: command("create", "--backend", "local", "--n-workers", str(workers), "--name", name))


def one() -> dict[str, float]:
    """Create one cluster."""
    taken = create()
    command("stop", "measured")
    return {"seconds": taken}


def many() -> dict[str, float]:
    """Create several clusters at the same moment."""
    taken: list[float] = []
    names = [f"c{number}" for number in range(AT_ONCE)]
    threads = [threading.Thread(target=lambda name=name: taken.append(create(name))) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    command("stop", "--all")
    return {"first": min(taken), "mean": statistics.fmean(taken), "last": max(taken)}


def at_rest() -> dict[str, float]:
    """Create a cluster, and measure its processes without viewers."""
    from gpucluster.registry.store import Registry

    taken = create(workers=WORKERS)
    registry = Registry(Path(os.environ["GPUCLUSTER_DIR"]))
    stored = registry.read(registry.folder(registry.find("measured").id))
    assert stored is not None
    assert stored.process is not None
    top = psutil.Process(stored.process.pid)
    time.sleep(SETTLED_SECONDS)
    workers = top.children(recursive=True)

    def spent() -> tuple[float, float]:
        return cpu_seconds(top.pid), sum(cpu_seconds(worker.pid) for worker in workers)

    before = spent()
    time.sleep(REST_SECONDS)
    after = spent()
    memory = sum(process.memory_full_info().pss for process in [top, *workers])
    command("stop", "measured")
    return {
        "seconds": taken,
        "supervisor_percent_of_a_core": 100 * (after[0] - before[0]) / REST_SECONDS,
        "workers_percent_of_a_core": 100 * (after[1] - before[1]) / REST_SECONDS,
        "proportional_megabytes": memory / 1e6,
    }


WAYS: dict[str, list[tuple[Callable[[], dict[str, float]], bool]]] = {
    "early": [(one, False)],
    "turn": [(many, False)],
    "sparing": [(one, False), (at_rest, True)],
    "wakeups": [(one, False), (at_rest, True)],
}
"""What is measured for each; True: it takes long, and so a third as often."""


def pairs(helper: str, way: Callable[[], dict[str, float]], repeats: int) -> dict[str, Any]:
    """Measure with and without, in turns; the order changes each time, and the first turn is not counted."""
    found: dict[str, dict[str, list[float]]] = {"with": {}, "without": {}}
    for number in range(repeats + 1):
        sides = [("with", ""), ("without", helper)]
        for side, off in sides if number % 2 else reversed(sides):
            os.environ[WITHOUT] = off
            time.sleep(PAUSE_SECONDS)
            for figure, value in way().items():
                found[side].setdefault(figure, []).append(value)
    return {
        figure: {
            side: {
                "median": round(statistics.median(values[figure][1:]), 3),
                "all": [round(v, 3) for v in values[figure][1:]],
            }
            for side, values in found.items()
        }
        for figure in found["with"]
    }


def main() -> None:
    """Measure and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start_helpers", description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=list(WAYS), default=list(WAYS))
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, registry():
        (Path(folder) / "sitecustomize.py").write_text(SITECUSTOMIZE)
        site = Path(folder) / "site.yaml"
        site.write_text(SHARED_SITE)
        root = Path(__file__).parents[1]
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, str(root), str(root / "py_src")])
        for helper in options.only:
            for way, long in WAYS[helper]:
                os.environ.pop("GPUCLUSTER_SITE", None)
                if helper == "sparing":
                    os.environ["GPUCLUSTER_SITE"] = str(site)
                figures.setdefault(helper, {})[way.__name__] = pairs(
                    helper, way, max(2, options.repeats // 3) if long else options.repeats
                )
                print(helper, way.__name__, figures[helper][way.__name__], flush=True)
    record(figures, name="start-helpers", packages=["distributed"])


if __name__ == "__main__":
    main()
