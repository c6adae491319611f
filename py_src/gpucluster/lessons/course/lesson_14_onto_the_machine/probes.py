"""What lesson 14 tries a machine with."""

from __future__ import annotations

import http.server
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import reduce
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ....client.control import Control
from ....operating_system.resources import infiniband_devices
from ....protocol.errors import GPUClusterError
from .material import Directives, asked_for, refusal

if TYPE_CHECKING:
    from distributed import Client


# Hand a script to Slurm where one answers; elsewhere read it, and run it here as the shell script that it also is.


_PATIENCE_SECONDS = 20.0
_ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "BOOT_FAIL"}
_SHOWN = ("Partition", "NumNodes", "NumTasks", "TimeLimit")


class SubmissionRefused(Exception):
    """The script was not taken; the message is sbatch's own."""


@dataclass(frozen=True)
class JobOutcome:
    """What became of a script.

    Attributes
    ----------
    state : str
        Slurm's word, such as ``"COMPLETED"``; ``"run here"`` where there is no Slurm.
    output : str
        What the script has printed.
    asked : dict
        What it asks for, as read here.
    granted : dict
        What Slurm has understood, by the names of ``scontrol show job``; empty where there is no Slurm.
    """

    job: str
    state: str
    output: str
    asked: Directives
    granted: dict[str, str]

    def __repr__(self) -> str:
        lines = [
            f"Slurm's job {self.job}: {self.state}"
            if self.job
            else "No Slurm here: the script was read, and run as a shell script."
        ]
        lines.append("asked for: " + ", ".join(f"{name}={value}" for name, value in self.asked.items()))
        if self.granted:
            lines.append("granted:   " + ", ".join(f"{name}={value}" for name, value in self.granted.items()))
        return "\n".join([*lines, *(f"    {line}" for line in self.output.splitlines())])


class BatchSystem:
    """Slurm, or what stands in for it: reading.

    Attributes
    ----------
    real : bool
        Whether a Slurm answers here.
    """

    def __init__(self) -> None:
        self.real = shutil.which("sbatch") is not None and _run(["sinfo", "-h", "-o", "%P"]).returncode == 0

    def __repr__(self) -> str:
        if not self.real:
            return "There is no Slurm here. Scripts are read, and short ones run as plain shell scripts."
        partitions = _run(["sinfo", "-h", "-o", "%P"]).stdout.split()
        return f"Slurm is available. Partitions: {', '.join(dict.fromkeys(partitions))}. Scripts are submitted."

    def submit(self, script: str, *, patience: float = 120) -> JobOutcome:
        """Submit a script, and wait for its end.

        Parameters
        ----------
        patience : float, optional
            Seconds after which a job that has not ended is cancelled.

        Raises
        ------
        SubmissionRefused
        """
        if reason := refusal(script):
            raise SubmissionRefused(f"sbatch: error: {reason}")
        # Here, not in /tmp: a node must see it, too.
        folder = Path(tempfile.mkdtemp(prefix="lesson-14-", dir="." if self.real else None)).resolve()
        try:
            return self._on_slurm(script, folder, patience) if self.real else _as_shell(script, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def looked_at(self, script: str) -> str:
        """Ask Slurm whether it would take a script, and submit nothing."""
        if not self.real:
            return "No Slurm here: no job was requested."
        done = _run(["sbatch", "--test-only"], script)
        return (done.stderr or done.stdout).strip()

    def _on_slurm(self, script: str, folder: Path, patience: float) -> JobOutcome:
        output = folder / "output"
        done = _run(["sbatch", "--parsable", f"--output={output}", f"--chdir={folder}"], script)
        if done.returncode != 0:
            raise SubmissionRefused(done.stderr.strip())
        job = done.stdout.strip().partition(";")[0]
        told: dict[str, str] = {}
        state = "PENDING"
        deadline = time.monotonic() + patience
        while state not in _ENDED:
            if time.monotonic() > deadline:
                _run(["scancel", job])
                state = f"waited for {patience:.0f} s ({told.get('Reason', 'no reason')}), then cancelled"
                break
            time.sleep(0.3)
            told = _told(job)
            state = told.get("JobState", "COMPLETED")  # Slurm forgets jobs some minutes after their end
        printed = output.read_text(errors="replace") if output.is_file() else ""
        named = {name: value for name, value in told.items() if name in _SHOWN}
        return JobOutcome(job, state, printed, asked_for(script), named)


def _told(job: str) -> dict[str, str]:
    words = _run(["scontrol", "--oneliner", "show", "job", job]).stdout.split()
    return {name: value for name, _, value in (word.partition("=") for word in words)}


def _as_shell(script: str, folder: Path) -> JobOutcome:
    path = folder / "script.sh"
    path.write_text(script, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM")}
    done = subprocess.run(
        ["bash", str(path)], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=_PATIENCE_SECONDS, check=False,
    )  # fmt: skip
    return JobOutcome("", "run here", done.stdout + done.stderr, asked_for(script), {})


def _run(command: list[str], given: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SBATCH_")}
    try:
        return subprocess.run(
            command, input=given, env=environment, capture_output=True, text=True, timeout=_PATIENCE_SECONDS,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


# Start a scheduler and workers with command lines, as on two nodes that share a directory, on this machine.


_START_PATIENCE_SECONDS = 30.0


class StartedByHand:
    """The processes of some command lines; all end with the ``with`` block.

    Parameters
    ----------
    scheduler_file : str or Path
        What the first command writes.
    commands : sequence of str or list
        The scheduler's first. They begin with ``dask``; this environment's is taken.

    Notes
    -----
    On this machine the scheduler listens on loopback only and has no dashboard, so that it disturbs no other user.
    """

    def __init__(self, scheduler_file: str | Path, *commands: str | Sequence[str]) -> None:
        self.file = Path(scheduler_file)
        self._commands = [shlex.split(one) if isinstance(one, str) else [str(word) for word in one] for one in commands]
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> StartedByHand:
        first, *others = self._commands
        try:
            self._start([*first, "--host", "127.0.0.1", "--no-dashboard"])
            deadline = time.monotonic() + _START_PATIENCE_SECONDS
            while not self.file.exists():
                if self._processes[0].poll() is not None:
                    raise RuntimeError(f"The scheduler exited immediately: {shlex.join(first)}")
                if time.monotonic() > deadline:
                    raise RuntimeError(f"There is no scheduler file {self.file}.")
                time.sleep(0.05)
            for command in others:
                self._start([*command, "--no-dashboard"])
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _start(self, words: Sequence[str]) -> None:
        if words[:1] != ["dask"]:
            raise RuntimeError(f"The command must begin with 'dask': {shlex.join(words)}")
        command = [sys.executable, "-m", "dask", *words[1:]]
        quiet = subprocess.DEVNULL
        self._processes.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet))

    def _end(self) -> None:
        for process in reversed(self._processes):  # workers first: they say goodbye to the scheduler
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


# What ``gpucluster create … --dry-run`` prints, as text, or the error message.


def dry_run(backend: str, **options: Any) -> str:
    """Return what a cluster of this kind would hand to the launcher of its workers, with notes.

    Nothing is started.
    """
    try:
        found = Control(by="a lesson").preview({"backend": backend, **options})
    except GPUClusterError as refused:
        return f"Nothing to show here: {refused}"
    return "\n".join([*([found.text.rstrip()] if found.text else []), *(f"note: {note}" for note in found.notes)])


# What ``ssh -L`` does, without ssh: whatever arrives at one port of this machine is handed on to another.


_LOOPBACK = "127.0.0.1"
_TUNNEL_PATIENCE_SECONDS = 5.0


class Page:
    """A small web server on loopback, which stands for Jupyter on a node."""

    def __init__(self, text: str) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = http.server.HTTPServer((_LOOPBACK, 0), Handler)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> Page:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Forwarder:
    """A port of loopback that leads to another one.

    Attributes
    ----------
    port : int
        The one to connect to.
    bytes_passed : int
        In both directions.
    """

    def __init__(self, to_port: int) -> None:
        self.bytes_passed = 0
        self._to = (_LOOPBACK, to_port)
        self._listener = socket.create_server((_LOOPBACK, 0))
        self._listener.settimeout(0.1)
        self.port: int = self._listener.getsockname()[1]
        self._closing = threading.Event()
        self._threads = [threading.Thread(target=self._serve, daemon=True)]

    def __enter__(self) -> Forwarder:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        for thread in self._threads:
            thread.join(_TUNNEL_PATIENCE_SECONDS)
        self._listener.close()

    def _serve(self) -> None:
        while not self._closing.is_set():
            with suppress(TimeoutError):
                near, _ = self._listener.accept()
                self._carry(near)

    def _carry(self, near: socket.socket) -> None:
        with ExitStack() as stack:
            stack.enter_context(near)
            far = stack.enter_context(socket.create_connection(self._to, _TUNNEL_PATIENCE_SECONDS))
            near.settimeout(_TUNNEL_PATIENCE_SECONDS)
            back = threading.Thread(target=self._pump, args=(far, near), daemon=True)
            back.start()
            self._pump(near, far)
            back.join()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while part := source.recv(65536):
                self.bytes_passed += len(part)
                target.sendall(part)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


def page_at(port: int) -> str:
    """Return what a browser on this machine gets from a port."""
    with urllib.request.urlopen(f"http://{_LOOPBACK}:{port}/", timeout=_TUNNEL_PATIENCE_SECONDS) as answer:
        text: str = answer.read().decode()
    return text


# One reduction on Dask, and on Ray and Spark where they are installed.


Partial = Callable[[Any], Any]
Combine = Callable[[Any, Any], Any]


def reduce_everywhere(
    client: Client, parts: Sequence[Any], partial: Partial, combine: Combine
) -> dict[str, tuple[Any, float] | str]:
    """Do it on each framework that is here.

    Returns
    -------
    dict
        By framework, the result and the seconds that it took with everything warmed up but the framework's own start;
        or a sentence, where it is not installed.
    """
    return {
        "Dask": _timed(lambda: on_dask(client, parts, partial, combine)),
        "Ray": _where("ray", lambda: on_ray(parts, partial, combine)),
        "Spark": _where("pyspark", lambda: on_spark(parts, partial, combine)),
    }


def on_dask(client: Client, parts: Sequence[Any], partial: Partial, combine: Combine) -> Any:
    """Futures: each part on some worker, then pairs of results, until one is left."""
    results = client.map(partial, parts, pure=False)
    while len(results) > 1:
        pairs = [results[place : place + 2] for place in range(0, len(results), 2)]
        results = [client.submit(combine, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
    return results[0].result()


def on_ray(parts: Sequence[Any], partial: Partial, combine: Combine) -> Any:
    """Remote functions and references to results."""
    import ray

    # On loopback only: on a login node no other user should reach it.
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    try:
        results = [ray.remote(partial).remote(part) for part in parts]
        return reduce(combine, ray.get(results))
    finally:
        ray.shutdown()


def on_spark(parts: Sequence[Any], partial: Partial, combine: Combine) -> Any:
    """A resilient distributed data set: each partition is one element here."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder
    builder = builder.master("local[2]").config("spark.driver.host", "127.0.0.1")
    session = builder.config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    try:
        return session.sparkContext.parallelize(list(parts), len(parts)).map(partial).reduce(combine)
    finally:
        session.stop()


def _where(package: str, run: Callable[[], Any]) -> tuple[Any, float] | str:
    if find_spec(package) is None:
        return f"not installed here (pip install {package})"
    return _timed(run)


def _timed(run: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.perf_counter()
    return run(), time.perf_counter() - begin


# What an installation can do, and which of several copies of a package is imported: looked up, not assumed.


_IMPORTED = "import importlib.util, sys; print(importlib.util.find_spec(sys.argv[1]).origin)"
_LIBRARY = "from mpi4py import MPI; print(MPI.Get_library_version().splitlines()[0])"


def fabric(folder: Path | None = None) -> dict[str, str]:
    """Return what can be said of fast networks here: devices, and packages that can use them.

    Parameters
    ----------
    folder : Path, optional
        Where Linux lists InfiniBand's devices; left out: where it does.
    """
    devices = infiniband_devices() if folder is None else infiniband_devices(folder)
    return {
        "InfiniBand devices": ", ".join(devices) or "none",
        **{name: installed(name) for name in ("distributed", "distributed-ucxx", "ucxx", "dask-cuda", "mpi4py")},
    }


def installed(distribution: str) -> str:
    """Return the version of an installed package, under its own name or with CUDA's number behind it."""
    for name in (distribution, f"{distribution}-cu13", f"{distribution}-cu12"):
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return "not installed"


def mpi_library() -> str:
    """Return what the MPI library below mpi4py calls itself; a sentence where there is none."""
    if find_spec("mpi4py") is None:
        return "mpi4py is not installed here."
    # In a separate process: importing it starts an MPI program.
    done = subprocess.run([sys.executable, "-c", _LIBRARY], capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.strip() or "mpi4py is installed, but finds no MPI library."


def imported_from(module: str, *, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Return the file from which a program in this folder would import a module."""
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTED, module], cwd=folder, env=None if environment is None else dict(environment),
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.stdout.strip() or "nowhere"
