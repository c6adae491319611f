"""The options of a simulated cluster."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

RMM_STATES = ("tracked", "untracked", "none")  # A pool whose use is counted, a pool whose use is not, no RMM.


@dataclass(frozen=True)
class Simulation:
    """The options of the command line."""

    workers: int = 4
    gpus: bool = False
    mig: bool = False
    lost: int = 0  # Number of workers whose GPU cannot be read; the last ones.
    rmm: str = "tracked"  # One of ``RMM_STATES``, or ``mixed`` for all of them in turn.
    name: str | None = None
    threads: int = 2
    tasks_per_second: float = 50.0  # 0 leaves the cluster idle, without a client.
    seed: int = 0
    past: bool = False  # Whether the history begins with ten simulated minutes.
    arriving: int = 1000  # The most workers that start; with more, the cluster never finishes to start or scale.
    waiting: str | None = None  # Why the others wait: then it is a cluster of jobs, of which the first end in 43 min.
    per_host: int | None = None  # Workers on each machine; ``None``: 8, or 4 if they are jobs.

    @property
    def on_gpus(self) -> bool:
        """Whether the workers have a GPU or a slice of one."""
        return self.gpus or self.mig

    def rmm_of(self, number: int) -> str:
        """Return the state of RMM in one worker."""
        return RMM_STATES[number % len(RMM_STATES)] if self.rmm == "mixed" else self.rmm


def parse(arguments: Sequence[str] | None = None) -> Simulation:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakes.cluster", description="A simulated cluster.")
    parser.add_argument("--workers", type=int, default=4, help="1 to 1000")
    parser.add_argument("--gpus", action="store_true", help="one GPU per worker")
    parser.add_argument("--mig", action="store_true", help="one MIG slice per worker")
    parser.add_argument("--lost", type=int, default=0, help="workers whose GPU is lost")
    parser.add_argument("--rmm", choices=[*RMM_STATES, "mixed"], default="tracked")
    parser.add_argument("--name", help="name of the cluster")
    parser.add_argument("--threads", type=int, default=2, help="threads per CPU worker")
    parser.add_argument("--tasks-per-second", type=float, default=50.0, help="0: idle, without a client")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--past", action="store_true", help="begin with ten simulated minutes of history")
    parser.add_argument("--arriving", type=int, default=1000, help="the most workers that come, now and later")
    parser.add_argument("--waiting", help="its workers are jobs, and this is why those that do not come wait")
    parser.add_argument("--per-host", type=int, help="workers on each machine")
    options = parser.parse_args(arguments)
    if not 1 <= options.workers <= 1000:
        parser.error("--workers must be from 1 to 1000")
    return Simulation(**vars(options))
