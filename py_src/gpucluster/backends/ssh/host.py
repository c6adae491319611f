"""One host: the connection to it, the agent that runs there, and the end of what a dead supervisor has left on it.

Agents end automatically; ``reap`` makes sure of it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import platform
import shlex
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...protocol.models import DeviceModel
from ...protocol.plain_text import printable
from ..backend import ReapContext, Remembered
from ..cuda.memory import explain
from ..following import lines_of
from . import hosts
from .hosts import HostUnusable, Named, connect

if TYPE_CHECKING:
    from .deployment import SSHWorker


logger = logging.getLogger("gpucluster.workers")

HELLO_SECONDS = 60.0
READY_SECONDS = 90.0
PING_SECONDS = 5.0
END_SECONDS = 4.0
MARK = "GPUCLUSTER_SSH_CLUSTER"  # This variable marks the processes of a cluster on a host.
_BOOT = (
    "import sys; source = sys.stdin.buffer.read(int(sys.stdin.buffer.readline())); "
    "exec(compile(source, 'gpucluster-agent', 'exec'))"
)
"""All that the host's command line shows of the agent."""


class Host:
    """A host on which workers can be started."""

    def __init__(
        self,
        named: Named,
        config: str | None,
        python: str,
        settings: dict[str, Any],
        lost: Callable[[list[SSHWorker]], None],
    ) -> None:
        self.named = named
        self.facts: dict[str, Any] = {}
        self.workers: dict[Any, SSHWorker] = {}
        self.gpu_options: dict[str, Any] = {}  # Options of dask-cuda on each GPU here.
        self.failed_at = float("-inf")
        self.unclean = False  # Whether an agent may have left something there because it did not end regularly.
        self.peer: str | None = None  # Its address, if there is no jump host.
        self._config, self._python, self._settings, self._lost = config, python, settings, lost
        self._connection: Any = None
        self._process: Any = None
        self._ready: asyncio.Future[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._opening = asyncio.Lock()
        self._errors: list[str] = []
        self._closing = False

    @property
    def name(self) -> str:
        return self.named.name

    @property
    def places(self) -> int:
        """Number of workers by default: one for each GPU, else one for each time it was named."""
        return len(self.gpus) or self.named.workers

    @property
    def gpus(self) -> list[str]:
        """UUIDs of the GPUs, or MIG slices, that workers get."""
        return [str(gpu["uuid"]) for gpu in self.facts.get("gpus", [])]

    def devices(self) -> list[DeviceModel]:
        found = []
        for gpu in self.facts.get("gpus", []):
            device = DeviceModel.model_validate(gpu)
            name = f"{device.name}, {self.name}" if device.name else self.name
            found.append(device.model_copy(update={"name": printable(name, 80)}))
        return found

    def free_gpu(self) -> str | None:
        taken = {worker.device for worker in self.workers.values()}
        return next((gpu for gpu in self.gpus if gpu not in taken), None)

    # -- opening ---------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connect, start the agent, and check what it reports of its host."""
        async with self._opening:
            if self._process is not None:
                return
            try:
                self._connection = await hosts.connect(self.named, self._config)
                peer = self._connection.get_extra_info("peername")
                self.peer = peer[0] if peer else None
                await self._start_agent()
            except BaseException:
                self.failed_at = time.monotonic()
                await self.close()
                raise

    async def _start_agent(self) -> None:
        self._closing = False
        self._errors = []
        # 'exec', and each argument quoted: no shell stays, and no argument is read as a command.
        mark = f"{MARK}={self._settings['id']}"
        command = f"exec env {mark} {shlex.quote(self._python)} -P -u -c {shlex.quote(_BOOT)}"
        self._process = process = await self._connection.create_process(command, encoding=None)
        source = Path(__file__).with_name("agent.py").read_bytes()
        settings = {**self._settings, "gpus_source": Path(__file__).with_name("remote_gpus.py").read_text()}
        process.stdin.write(b"%d\n" % len(source) + source + json.dumps(settings).encode() + b"\n")
        self._tasks = [asyncio.create_task(self._drain(process))]
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                line = await process.stdout.readline()
        except TimeoutError:
            raise HostUnusable(f"{self.name}: its Python did not start within {HELLO_SECONDS:.0f} seconds.") from None
        if not line:
            with suppress(Exception):
                await asyncio.wait_for(process.wait(), 2)
            raise HostUnusable(f"{self.name}: {self._why_no_python(process)}.")
        self.facts = self._read(line)
        self._check()
        self.unclean = False  # An agent removes what the previous one left.
        self._ready = asyncio.get_running_loop().create_future()
        self._tasks += [asyncio.create_task(self._listen(process)), asyncio.create_task(self._ping(process))]

    def _read(self, line: bytes) -> dict[str, Any]:
        try:
            found = json.loads(line)
            assert isinstance(found, dict)
        except (AssertionError, ValueError):
            raise HostUnusable(
                f"{self.name}: its login shell prints {printable(line.decode(errors='replace').strip(), 60)!r} before "
                "anything else, which breaks the connection. Make ~/.bashrc there print only in interactive shells."
            ) from None
        return found

    def _why_no_python(self, process: Any) -> str:
        last = printable(self._errors[-1], 200) if self._errors else ""
        if "nknown option: -P" in " ".join(self._errors):
            return f"the Python {self._python} there is too old; workers need Python 3.11 or newer"
        printed = f" ({last.rstrip('.')})" if last else ""
        if process.exit_status in {126, 127} or "not found" in last or "No such file" in last:
            return (
                f"there is no Python {self._python} there{printed}. Create the same environment there, or set "
                "remote_python to its path"
            )
        return f"its Python {self._python} exited immediately ({last.rstrip('.') or 'without output'})"

    def _check(self) -> None:
        facts = self.facts
        if facts.get("event") == "broken":
            raise HostUnusable(f"{self.name}: {printable(str(facts.get('why')), 300)}.")
        python, ours = str(facts["python"]), platform.python_version()
        if python.split(".")[:2] != ours.split(".")[:2]:
            raise HostUnusable(
                f"{self.name}: its Python {self._python} is {printable(python, 12)}, but the one here is {ours}. Tasks "
                "can be exchanged only between the same minor versions."
            )
        there, here = facts["distributed"], version("distributed")
        if there is None:
            raise HostUnusable(
                f"{self.name}: the Python {self._python} there has no distributed. Run there: {self._python} -m pip "
                f"install 'dask[complete]=={here}' distributed=={here}"
            )
        if there != here:
            raise HostUnusable(
                f"{self.name}: distributed is {printable(str(there), 20)} there and {here} here. Install the same "
                "version on both."
            )
        if facts.get("gpus") and facts.get("dask_cuda") is None:
            raise HostUnusable(
                f"{self.name}: it has GPUs, but the Python {self._python} there has no dask-cuda. Run there: "
                f"{self._python} -m pip install 'dask-cuda[cu13]'; or use only its CPUs: --no-use-gpus"
            )

    # -- messages --------------------------------------------------------------------------------

    async def start(self, worker: SSHWorker, command: dict[str, Any]) -> None:
        """Request a worker from the agent. Raises `HostUnusable`."""
        await self.open()
        assert self._ready is not None
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), READY_SECONDS)
        except TimeoutError:
            raise HostUnusable(f"{self.name}: importing Dask took longer than {READY_SECONDS:.0f} s there.") from None
        self.workers[worker.name] = worker
        self._send({"do": "start", **command})

    def stop(self, worker: SSHWorker) -> None:
        self._send({"do": "stop", "name": worker.name})

    def _send(self, command: dict[str, Any]) -> None:
        if self._process is None:
            raise HostUnusable(f"{self.name}: the connection is lost.")
        with suppress(OSError):  # ``_listen`` notices.
            self._process.stdin.write(json.dumps(command).encode() + b"\n")

    async def _ping(self, process: Any) -> None:
        with suppress(OSError):
            while True:
                process.stdin.write(b'{"do": "ping"}\n')
                await asyncio.sleep(PING_SECONDS)

    async def _listen(self, process: Any) -> None:
        with suppress(Exception):
            while line := await process.stdout.readline():
                self._handle(json.loads(line))
        await self._is_lost(process)

    def _handle(self, message: dict[str, Any]) -> None:
        event, name = message.get("event"), message.get("name")
        why = printable(str(message.get("why")), 300)
        assert self._ready is not None
        if event == "ready" and not self._ready.done():
            self._ready.set_result(None)
        elif event == "broken" and not self._ready.done():
            self._ready.set_exception(HostUnusable(f"{self.name}: {why}."))
        worker = self.workers.get(name)
        if worker is None:
            return
        if event == "started":
            worker.has_started(str(message["address"]))
        elif event == "failed":
            del self.workers[name]
            why = explain(why.rstrip("."), self.gpu_options)
            worker.has_failed(HostUnusable(f"{self.name}: {why}."))
        elif event == "gone":
            del self.workers[name]
            worker.has_gone()

    async def _drain(self, process: Any) -> None:
        """Read the workers' output, always: they would block when the pipe is full."""
        with suppress(Exception):
            async for line in lines_of(process.stderr):
                self._errors = [*self._errors[-9:], line]
                logger.info("%s: %s", self.name, line)

    async def _is_lost(self, process: Any) -> None:
        if self._process is not process:
            return
        if not self._closing:
            with suppress(Exception):
                await asyncio.wait_for(process.wait(), 1)
            self.unclean, why = True, "its agent has exited"
            if process.exit_status is None and process.exit_signal is None:
                # The connection broke before any status came: prefer other hosts for a while.
                why = "the connection is lost"
                self.failed_at = time.monotonic()
            logger.warning("%s: %s", self.name, why)
        await self._forget()

    async def _forget(self) -> None:
        gone, self.workers = list(self.workers.values()), {}
        found, self._process, self._connection = self._connection, None, None
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(HostUnusable(f"{self.name}: the connection is lost."))
            self._ready.exception()  # It may not be awaited.
        here = asyncio.current_task()
        for task in self._tasks:
            if task is not here:
                task.cancel()
        self._tasks = []
        if found is not None:
            found.abort()
        self._lost(gone)

    async def close(self) -> None:
        """End everything there, in bounded time also if the host does not respond."""
        self._closing = True
        process, found = self._process, self._connection
        if process is not None:
            with suppress(Exception):
                process.stdin.write_eof()
                await asyncio.wait_for(process.wait(), END_SECONDS)
        await self._forget()
        if found is not None:
            with suppress(Exception):
                await asyncio.wait_for(found.wait_closed(), 1)


SWEEP_SECONDS = 30.0
_SWEEP = """
import glob, json, os, shutil, signal, sys, tempfile, time
settings = json.loads(sys.stdin.readline())
mark = settings["mark"].encode()
ended = set()
for _ in range(20):
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            pid = int(path.split("/")[2])
            with open(path, "rb") as file, open("/proc/%d/stat" % pid) as stat:
                if mark in file.read().split(b"\\0") and stat.read().rpartition(")")[2].split()[0] != "Z":
                    found.append(pid)
        except OSError:
            pass
    if not found:
        break
    ended.update(found)
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    time.sleep(0.1)
for top in {tempfile.gettempdir(), settings["directory"] or tempfile.gettempdir()}:
    for path in glob.glob(os.path.join(glob.escape(top), settings["scratch"] + "*")):
        if not os.path.islink(path) and os.lstat(path).st_uid == os.getuid():
            shutil.rmtree(path, ignore_errors=True)
print(json.dumps({"ended": len(ended), "left": len(found)}))
"""


async def reap(remembered: Remembered, context: ReapContext) -> None:
    """Look at each host, and end what is still there. Raises `RuntimeError`: some processes do not end."""
    hosts = [Named(**host) for host in remembered["hosts"]]
    found = await asyncio.gather(*(_sweep(host, remembered, context) for host in hosts), return_exceptions=True)
    unreachable = [host.name for host, one in zip(hosts, found, strict=True) if isinstance(one, BaseException)]
    answers = [one for one in found if isinstance(one, dict)]
    if any(answer["left"] for answer in answers):
        raise RuntimeError("Some processes on the hosts did not exit")
    if ended := sum(answer["ended"] for answer in answers):
        context.report(f"{ended} processes left on the hosts by a process that died were stopped.")
    if unreachable:
        # The agents there end what they started after a minute without a message.
        context.report(f"Could not reach {', '.join(unreachable)}; the workers there exit automatically.")


async def _sweep(host: Named, remembered: Remembered, context: ReapContext) -> dict[str, Any]:
    connection = await connect(host, remembered["ssh_config"])
    try:
        command = f"exec {shlex.quote(remembered['python'])} -c {shlex.quote(_SWEEP)}"
        mark, directory = f"{MARK}={context.cluster_id}", remembered["local_directory"]
        settings = {"mark": mark, "scratch": remembered["scratch"], "directory": directory}
        done = await asyncio.wait_for(connection.run(command, input=json.dumps(settings) + "\n"), SWEEP_SECONDS)
        if done.exit_status != 0:
            raise HostUnusable(f"{host.name}: its Python cannot be started.")
        answer: dict[str, Any] = json.loads(str(done.stdout).strip().splitlines()[-1])
        return answer
    finally:
        connection.close()
