"""The options of a simulated cluster."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

RMM_STATES = ("tracked", "untracked", "none")  # A pool whose use is counted, a pool whose use is not, no RMM.


def _option(default: Any, help: str, **more: Any) -> Any:
    return field(default=default, metadata={"help": help, **more})


@dataclass(frozen=True)
class Simulation:
    """The options of the command line."""

    workers: int = _option(4, "1 to 1000")
    gpus: bool = _option(False, "one GPU per worker")
    mig: bool = _option(False, "one MIG slice per worker")
    lost: int = _option(0, "workers whose GPU cannot be read; the last ones")
    rmm: str = _option("tracked", "state of RMM; mixed: all of them in turn", choices=[*RMM_STATES, "mixed"])
    name: str | None = _option(None, "name of the cluster")
    threads: int = _option(2, "threads per CPU worker")
    tasks_per_second: float = _option(50.0, "0: idle, without a client")
    seed: int = _option(0, "of its random figures")
    past: bool = _option(False, "begin with ten simulated minutes of history")
    arriving: int = _option(1000, "the most workers that come; with more, it never finishes to start or scale")
    waiting: str | None = _option(None, "its workers are jobs that end in 43 min, and this is why the others wait")
    per_host: int | None = _option(None, "workers on each machine; default: 8, or 4 if they are jobs", type=int)

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
    for one in fields(Simulation):
        kind: dict[str, Any] = {"action": "store_true"}
        if one.default is not False:
            kind = {"type": str if one.default is None else type(one.default), "default": one.default}
        parser.add_argument(f"--{one.name.replace('_', '-')}", **{**kind, **one.metadata})
    options = parser.parse_args(arguments)
    if not 1 <= options.workers <= 1000:
        parser.error("--workers must be from 1 to 1000")
    return Simulation(**vars(options))
