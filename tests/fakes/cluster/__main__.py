"""``python -m tests.fakes.cluster``: what the options do is in ``figures.py``."""

import asyncio
import logging
import os
import signal
import sys
from contextlib import suppress

from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.local import LocalSpec
from gpucluster.protocol.models import ClusterModel, ClusterState, Idle, Progress, Wanted
from gpucluster.protocol.spec import MAX_WORKERS
from gpucluster.registry.record import Folder, Record, now, read_secret
from gpucluster.registry.store import Registry
from gpucluster.supervisor import controller as controllers
from gpucluster.supervisor.controller import Controller
from gpucluster.supervisor.figures.sampler import History
from gpucluster.supervisor.interface import Interface, Listener
from gpucluster.supervisor.process.warmup import configure_dask

from .backend import SimulatedBackend, work
from .figures import Simulation, invent, parse


def _written_down(registry: Registry, simulation: Simulation) -> tuple[Folder, ClusterModel]:
    """Make folder, lock and record, as ``AsyncControl.create`` does."""
    count = simulation.workers if simulation.workers <= MAX_WORKERS else None
    kind = CudaSpec if simulation.on_gpus else LocalSpec
    with registry.exclusive():
        name = registry.free_name(simulation.name)
        spec = kind(name=name, n_workers=count, idle_timeout_seconds=None)
        # The lock is held until this process ends.
        folder, _ = registry.new_folder()
        model = ClusterModel(
            id=folder.id, name=name, backend=spec.backend, state=ClusterState.STARTING,
            progress=Progress(step="launch", message="Starting the simulation"),
            wanted=Wanted(n_workers=simulation.workers), idle=Idle(timeout_seconds=None), python=sys.executable,
            pid=os.getpid(), created_at=now(), spec=spec,
        )  # fmt: skip
        registry.write(folder, Record(kind="cluster", cluster=model))
    return folder, model


async def _run(simulation: Simulation) -> ClusterModel:
    registry = Registry()
    folder, model = _written_down(registry, simulation)
    logging.basicConfig(filename=folder.log, level=logging.INFO, format="%(asctime)s %(levelname)-7s %(message)s")
    configure_dask()
    for name in ("distributed", "distributed.scheduler"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
    backend = SimulatedBackend(simulation)
    vars(controllers)["load_backend"] = lambda name: backend
    controller = Controller(registry, folder, model)
    secret = read_secret(folder)
    assert secret is not None
    interface = Interface(secret, None)
    interface.controller = controller
    Listener(interface, folder)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, controller.requests.stop, "Stopped by a signal.")
    working = asyncio.create_task(_work(controller, backend))
    ended = await controller.run()
    working.cancel()
    with suppress(asyncio.CancelledError, OSError):
        await working
    return ended


async def _work(controller: Controller, backend: SimulatedBackend) -> None:
    simulation = backend.simulation
    if simulation.arriving < simulation.workers and simulation.waiting is None:
        print(f"{controller.model.id} {controller.model.name}: starts and never ends to", flush=True)
    while controller.model.running_at is None:  # noqa: ASYNC110  # the controller has no event for it
        await asyncio.sleep(0.05)
    cluster = backend.cluster
    assert cluster is not None and controller.sampler is not None
    if simulation.past:
        controller.sampler.history = history = History(controller.folder.id)
        invent(history, simulation, seconds_apart=controller.sampler.interval)
    print(f"{controller.model.id} {controller.model.name}: {controller.model.n_workers} workers", flush=True)
    if simulation.tasks_per_second:
        try:
            await work(cluster)
        except Exception:
            if controller.model.wanted.stopped:
                return
            logging.exception("The client of the simulation has ended")
            raise


def main() -> None:
    """Run one simulated cluster until it is stopped."""
    ended = asyncio.run(_run(parse()))
    print(f"{ended.name}: {ended.state.value}. {ended.reason or ''}", flush=True)
    # distributed leaves threads behind.
    os._exit(ended.state is ClusterState.FAILED)


main()
