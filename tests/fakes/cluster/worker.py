"""A simulated worker in this process, which communicates with the scheduler like a real one."""

import asyncio
import random
import time
from collections import deque
from itertools import count
from typing import Any

import distributed.versions
from distributed import Scheduler
from distributed.comm.core import CommClosedError
from distributed.comm.inproc import InProc, InProcListener, Queue
from distributed.core import Status
from distributed.deploy.spec import ProcessInterface
from gpucluster.telemetry.columns import MANY_SECONDS
from tornado.ioloop import IOLoop

from .figures import HOST_LIMIT, Figures, Simulation

_PIDS = count(100_001)
_VERSIONS = distributed.versions.get_versions()


async def _listener(handler: Any) -> InProcListener:
    listener = InProcListener(None, handler, deserialize=False)
    await listener.start()
    return listener


class SimulatedWorker(ProcessInterface):  # type: ignore[misc]
    """One worker with its nanny, made and closed by ``SpecCluster``.

    `address`: of the scheduler; unused. `scheduler`: returns the scheduler. `number`: position of the worker. `pace`:
    returns the seconds that a task takes.
    """

    def __init__(
        self, address: str, *, scheduler: Any, simulation: Simulation, number: int, name: Any, pace: Any
    ) -> None:
        super().__init__()
        self.name = name
        self._scheduler_of = scheduler
        self._simulation = simulation
        self._number = number
        self._pace = pace
        self._random = random.Random(number)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._nanny: InProcListener | None = None
        self._listener: InProcListener | None = None
        self._life: list[asyncio.Task[Any]] = []

    @property
    def scheduler(self) -> Scheduler:
        scheduler: Scheduler = self._scheduler_of()
        return scheduler

    async def start(self) -> None:
        """Start the simulated nanny and the worker."""
        if self._number >= self._simulation.arriving:
            if self._simulation.waiting is None:
                await asyncio.get_running_loop().create_future()
            await super().start()  # Its job waits in the queue.
            return
        self._nanny = await _listener(self._answer)
        await self._register()
        await super().start()

    async def close(self, **kwargs: Any) -> None:
        """Leave the scheduler for good."""
        if self._nanny is not None:
            self._leave()
            self._nanny.stop()
            self._nanny = None
        await super().close()

    # -- being there -----------------------------------------------------------------------------

    async def _register(self) -> None:
        assert self._nanny is not None
        self._listener = await _listener(self._answer)
        self.address = self.worker_address = self._listener.contact_address
        self.figures = Figures(self._simulation, self._number)
        self._results: dict[Any, int] = {}
        self._ready: deque[dict[str, Any]] = deque()
        theirs, ours = Queue(), Queue()
        loop = IOLoop.current()
        self._comm = InProc(self.address, "inproc://scheduler", ours, theirs, loop, deserialize=False)
        comm = InProc("inproc://scheduler", self.address, theirs, ours, loop, deserialize=False)
        registering = asyncio.create_task(
            self.scheduler.add_worker(
                comm,
                address=self.address,
                status="running",
                server_id=f"Worker-{self.address}",
                nthreads=self.figures.threads,
                name=self.name,
                resolve_address=False,
                now=time.time(),
                resources={},
                memory_limit=HOST_LIMIT,
                metrics=self._metrics(),
                pid=next(_PIDS),
                services={},
                local_directory="/nowhere",
                versions=_VERSIONS,
                nanny=self._nanny.contact_address,
                extra={},
                stimulus_id=f"simulated-{self.address}",
            )  # fmt: skip
        )
        self._life = [registering]
        answer = await self._comm.read()
        assert answer["status"] == "OK", answer
        self._life += [asyncio.create_task(self._listen(self._comm)), asyncio.create_task(self._beat())]

    def _leave(self) -> None:
        # The scheduler's side of the connection ends when ours does.
        for task in (*self._life[1:], *self._tasks):
            if task is not asyncio.current_task():
                task.cancel()
        if self._listener is not None:
            self._listener.stop()
            self._listener = None
            self._comm.abort()
        self._tasks.clear()
        self._ready.clear()

    async def _answer(self, comm: Any) -> None:
        """Answer requests to worker or nanny outside the stream."""
        try:
            while True:
                message = await comm.read()
                restarting = message.get("op") == "kill"
                if restarting:
                    self._leave()
                if message.get("reply", True):
                    await comm.write(None if restarting else {"status": "OK"})
                if restarting:
                    while self.name in self.scheduler.aliases:  # noqa: ASYNC110  # until the scheduler notices
                        await asyncio.sleep(0.01)
                    await self._register()
        except CommClosedError:
            return

    def _interval(self) -> float:
        """Return the seconds between two heartbeats, which grow with the cluster."""
        from distributed.scheduler import heartbeat_interval

        return float(heartbeat_interval(len(self.scheduler.workers)))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._interval() * self._random.uniform(0.9, 1.1))
            self.scheduler.heartbeat_worker(
                address=self.address, resolve_address=False, now=time.time(), metrics=self._metrics(), executing={}
            )

    def _metrics(self) -> dict[str, Any]:
        self.figures.executing = len(self._tasks)
        self.figures.holding = sum(self._results.values())
        self.figures.advance(time.time())
        return self.figures.metrics(
            ready=len(self._ready), in_memory=len(self._results), many=self._interval() > MANY_SECONDS
        )

    # -- working ---------------------------------------------------------------------------------

    async def _listen(self, comm: InProc) -> None:
        try:
            while True:
                for message in await comm.read():
                    if message["op"] in {"close", "close-stream"}:
                        self._leave()
                        self.status = Status.closed
                        return
                    self._take(message)
        except CommClosedError:
            return

    def _take(self, message: dict[str, Any]) -> None:
        operation, stimulus = message["op"], f"simulated-{time.time()}"
        if operation == "compute-task":
            self._ready.append(message)
            self._start_ready()
        elif operation == "acquire-replicas":
            sizes = message.get("nbytes", {})
            self._results.update({key: sizes.get(key, 0) for key in message["who_has"]})
            self._send({"op": "add-keys", "keys": list(message["who_has"]), "stimulus_id": stimulus})
        elif operation == "remove-replicas":
            for key in message["keys"]:
                self._results.pop(key, None)
                self._send({"op": "release-worker-data", "key": key, "stimulus_id": stimulus})
        elif operation == "steal-request":
            mine = next((ready for ready in self._ready if ready["key"] == message["key"]), None)
            if mine is not None:
                self._ready.remove(mine)
            state = "ready" if mine is not None else "executing"
            same = {name: message[name] for name in ("key", "stimulus_id")}
            self._send({"op": "steal-response", "state": state, **same})
        elif operation == "free-keys":
            for key in message["keys"]:
                self._results.pop(key, None)

    def _start_ready(self) -> None:
        while self._ready and len(self._tasks) < self.figures.threads:
            task = asyncio.create_task(self._compute(self._ready.popleft()))
            self._tasks.add(task)
            task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            self._start_ready()

    async def _compute(self, message: dict[str, Any]) -> None:
        key = message["key"]
        begin = time.time()
        await asyncio.sleep(self._pace() * self._random.uniform(0.4, 1.6))
        end = time.time()
        brought = sum(message["nbytes"].values())
        size = self._random.randrange(brought // 3 + 1, brought // 2 + 2) if brought else self._fresh_size()
        self._results[key] = size
        startstops: list[dict[str, Any]] = [{"action": "compute", "start": begin, "stop": end}]
        if brought:
            startstops.insert(0, {"action": "transfer", "start": begin - 0.05, "stop": begin, "source": ""})
        typename = "cudf.DataFrame" if self.figures.on_gpu else "pandas.DataFrame"
        self._send({
            "op": "task-finished", "status": "OK", "key": key, "run_id": message["run_id"], "nbytes": size,
            "type": None, "typename": typename, "metadata": {}, "thread": 1, "startstops": startstops,
            "stimulus_id": f"simulated-{end}",
        })  # fmt: skip

    def _fresh_size(self) -> int:
        share = self._random.uniform(0.01, 0.06)
        return int(share * (self.figures.vram_total if self.figures.on_gpu else HOST_LIMIT / 4))

    def _send(self, message: dict[str, Any]) -> None:
        if not self._comm.closed():
            asyncio.ensure_future(self._comm.write([message]))
