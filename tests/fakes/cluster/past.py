"""Ten simulated minutes of history, so that sparklines are full at once."""

from __future__ import annotations

import math
import random
import time

from distributed.scheduler import heartbeat_interval
from gpucluster.supervisor.figures.sampler import SECONDS, History
from gpucluster.telemetry.columns import COLUMNS, MANY_SECONDS

from .figures import Figures, device_of
from .options import Simulation


def invent(history: History, simulation: Simulation, *, seconds_apart: float) -> None:
    """Add readings of the last ten minutes to an empty history, oldest first."""
    chance = random.Random(simulation.seed)
    workers = [Figures(simulation, number) for number in range(simulation.workers)]
    names = [
        device_of(number, mig=simulation.mig) if simulation.on_gpus else str(number)
        for number in range(simulation.workers)
    ]
    here, clock = time.monotonic(), time.time()
    ago = SECONDS - 1.0
    many = heartbeat_interval(len(workers)) > MANY_SECONDS
    while ago > seconds_apart:
        # Rounds of work, with a pause between two of them.
        busy = math.sin((SECONDS - ago) / 23) > -0.6
        rows = []
        for figures in workers:
            figures.executing = figures.threads if busy and chance.random() < 0.9 else 0
            figures.holding = int((0.4 if busy else 0.1) * figures.vram_total * chance.uniform(0.9, 1.1))
            figures.advance(clock - ago)
            rows.append(figures.row(ready=2 * figures.executing, in_memory=12, many=many))
        columns = {"workers": names, "processing": [3 * figures.executing for figures in workers]}
        history.add(columns | dict(zip(COLUMNS, list(zip(*rows, strict=True))[1:], strict=True)), here - ago)
        ago -= seconds_apart
