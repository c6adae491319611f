"""The backend that the controller of a simulated cluster gets, and a client that gives it work."""

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from distributed import Client, Scheduler
from distributed.deploy.spec import SpecCluster
from gpucluster.backends.backend import Backend, Plan, StartContext
from gpucluster.backends.cuda.backend import CudaBackend
from gpucluster.backends.deployment import Deployment, Slot, SlotState
from gpucluster.backends.local import LocalBackend
from gpucluster.backends.slurm.backend import SlurmBackend
from gpucluster.backends.spec_deployment import SpecDeployment
from gpucluster.protocol.models import Network
from gpucluster.protocol.spec import SpecBase

from .figures import Simulation, device_of
from .worker import SimulatedWorker

MOST_WORKERS = 1000


class SimulatedCluster(SpecCluster):  # type: ignore[misc]
    """A real scheduler with simulated workers. `options`: those of ``SpecDeployment`` for every cluster."""

    def __init__(self, simulation: Simulation, **options: Any) -> None:
        self.simulation = simulation
        security = options["security"]
        same = {name: options[name] for name in ("host", "protocol", "security", "dashboard_address")}
        scheduler = {"cls": Scheduler, "options": {**same, "port": 0, "dashboard": True, **options["scheduler_kwargs"]}}
        super().__init__(workers={}, scheduler=scheduler, security=security, asynchronous=True, name=options["name"])
        # The start of a SpecCluster waits for all its first workers: those in the queue are requested later.
        first = simulation.workers if simulation.waiting is None else min(simulation.workers, simulation.arriving)
        for number in range(first):
            self.worker_spec.update(self._worker(number))

    def _worker(self, number: int) -> dict[Any, Any]:
        name = device_of(number, mig=self.simulation.mig) if self.simulation.on_gpus else number
        options = {"scheduler": lambda: self.scheduler, "simulation": self.simulation, "pace": self._pace}
        return {name: {"cls": SimulatedWorker, "options": {**options, "number": number, "name": name}}}

    def new_worker_spec(self) -> dict[Any, Any]:
        """Return the first missing worker."""
        return next(
            spec for number in range(MOST_WORKERS) if (spec := self._worker(number)).keys() - self.worker_spec.keys()
        )

    def _pace(self) -> float:
        """Return the seconds of a task that result in the wanted number of tasks per second."""
        scheduler = self.scheduler
        threads = scheduler.total_nthreads if scheduler is not None else 1
        return max(0.2, 0.8 * threads / max(0.1, self.simulation.tasks_per_second))


class QueuedDeployment(SpecDeployment):
    """A deployment whose workers are jobs of a simulated queue."""

    unit = "job"
    why = ""
    per_host = 4
    ends = datetime.now(UTC) + timedelta(minutes=43)

    def slots(self) -> list[Slot]:
        """Add nodes, reasons and ends."""
        return [
            replace(slot, why=self.why)
            if slot.state is SlotState.PENDING
            else replace(slot, node=f"lrdn{number // self.per_host + 1:04}", ends=self.ends)
            for number, slot in enumerate(super().slots())
        ]


class SimulatedBackend(Backend[SpecBase]):
    """Starts a ``SimulatedCluster`` in the same way as real clusters."""

    name: ClassVar[str] = "simulated"
    spec: ClassVar[type[SpecBase]] = SpecBase

    def __init__(self, simulation: Simulation) -> None:
        kind = CudaBackend if simulation.on_gpus else LocalBackend
        self.title, self.traits = kind.title, kind.traits  # type: ignore[misc]  # it plays that kind
        if simulation.waiting is not None:
            self.title = SlurmBackend.title  # type: ignore[misc]
            self.traits = SlurmBackend.traits  # type: ignore[misc]
        self.simulation = simulation
        self.cluster: SimulatedCluster | None = None

    async def preflight(self, spec: SpecBase, context: StartContext) -> Plan:
        return Plan(
            n_workers=self.simulation.workers, maximum_workers=MOST_WORKERS,
            maximum_reason="a simulation ends somewhere", network=Network.UNIX,
            ready_workers=None if self.simulation.waiting is None else 0, has_gpus=self.simulation.on_gpus,
        )  # fmt: skip

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        def make(**options: Any) -> SimulatedCluster:
            self.cluster = SimulatedCluster(self.simulation, **options)
            return self.cluster

        # GPU workers are named after their devices.
        kind = SpecDeployment
        if self.simulation.waiting is not None:
            kind = QueuedDeployment
            QueuedDeployment.why = self.simulation.waiting
            QueuedDeployment.per_host = self.simulation.per_host or QueuedDeployment.per_host
        return await kind.start(make, plan, context, workers_are_devices=self.simulation.on_gpus)


def _source(number: int) -> None:
    """Stand for a task that reads a part of a data set."""


def _step(*parts: Any) -> None:
    """Stand for a task that works on parts."""


STEPS = ("read-parquet", "assign", "shuffle-split", "groupby-agg", "tree-sum")


async def work(cluster: SimulatedCluster) -> None:
    """Submit graphs until cancelled."""
    chance = random.Random(cluster.simulation.seed)
    async with Client(cluster, asynchronous=True) as client:
        round_number = 0
        while True:
            round_number += 1
            scheduler = cluster.scheduler
            threads = max(1, scheduler.total_nthreads if scheduler is not None else 1)
            parts = min(threads * chance.randint(2, 4), 3000)
            parts = max(parts, int(10 * cluster.simulation.tasks_per_second / len(STEPS)))
            stage = client.map(_source, range(parts), key=[f"read-parquet-{round_number}-{n}" for n in range(parts)])
            held = stage
            for step in STEPS[1:-1]:
                keys = [f"{step}-{round_number}-{n}" for n in range(len(stage))]
                neighbours = [*stage[1:], stage[0]]
                stage = client.map(_step, stage, neighbours, key=keys, pure=False)
            number = 0
            while len(stage) > 1:
                groups = [stage[first : first + 8] for first in range(0, len(stage), 8)]
                stage = [
                    client.submit(_step, *group, key=f"tree-sum-{round_number}-{number}-{position}", pure=False)
                    for position, group in enumerate(groups)
                ]
                number += 1
            # Not distributed.wait: it raises when a restart cancels the futures.
            while any(future.status == "pending" for future in stage):  # noqa: ASYNC110  # likewise
                await asyncio.sleep(0.2)
            held.clear()
            stage.clear()
            await asyncio.sleep(chance.uniform(1, 4))
