"""Launch a supervisor: for a cluster, as a standby, or only to preview a submission."""

from __future__ import annotations

import asyncio
import json
import os
import select
import shlex
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from importlib.metadata import PackageNotFoundError, distribution
from urllib.parse import unquote, urlsplit

from pydantic import ValidationError

from ...protocol.errors import ErrorModel, GPUClusterError, StartFailed, StartTimedOut, error_from_model
from ...protocol.models import Submission
from ...protocol.spec import SpecBase
from ...registry import lock
from ...registry.directory import writing
from ...registry.ending import tail
from ...registry.holders import release_standby, want_standby
from ...registry.record import Folder, ProcessIdentity, Record, identify
from ...registry.store import Registry
from ..transport import ask_supervisor
from .environment import cluster_environment, fingerprint, python_of, with_variables_of_workers

LAUNCH_SECONDS = 60.0
_GONE_SECONDS = 10.0


def launch(
    folder: Folder, held: int, *, python: str, cwd: str, environment: Mapping[str, str], standby: bool = False,
    turn: int | None = None, timeout: float = LAUNCH_SECONDS,
) -> int:  # fmt: skip
    """Start the supervisor of a folder whose record is written.

    * `folder`: holds the record of what to start.
    * `held`: descriptor that holds the folder's lock. It is passed on and closed here, so that the lock is held from
      before the record is written until the supervisor's death.
    * `python`, `cwd`, `environment`: executable, working directory and complete environment of the supervisor and its
      workers.
    * `standby`: warm up and wait for a cluster.
    * `turn`: descriptor of its turn to start, which it waits for first; stays open here.
    * `timeout`: seconds within which the process must report its id.

    Returns the process id of the supervisor. Raises `StartFailed` (the Python executable cannot run, or has no
    gpucluster), `RegistryUnwritable` (no room for a log) or `StartTimedOut` (no report in time).
    """
    with ExitStack() as opened:
        opened.callback(os.close, held)
        with writing(folder.path.parent):
            log = os.open(folder.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            opened.callback(os.close, log)
            report, report_child = os.pipe()
            opened.callback(os.close, report)
            ours = opened.enter_context(os.fdopen(report_child, "wb"))
        arguments = ["--folder", str(folder.path), "--lock-fd", str(held), "--report-fd", str(report_child)]
        if standby:
            arguments.append("--standby")
        if turn is not None:
            arguments += ["--turn-fd", str(turn)]
        try:
            process = subprocess.Popen(
                # -P: modules are not searched for in the caller's directory.
                [python, "-P", "-m", "gpucluster.supervisor", *arguments],
                cwd=cwd,
                env=with_variables_of_workers(environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(held, report_child, *(() if turn is None else (turn,))),
                start_new_session=True,
            )
            ours.close()  # Otherwise its end would go unnoticed.
            readable, _, _ = select.select([report], [], [], timeout)
            pid = os.read(report, 32).decode().strip() if readable else ""
        except OSError as error:
            raise StartFailed(f"The Python {python} cannot be started: {error.strerror or error}.") from error
        if not readable:
            process.kill()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GONE_SECONDS)
    if not readable:
        raise StartTimedOut(
            f"The cluster's process did not start within {timeout:.0f} seconds and was terminated. "
            f"Its Python is {python}."
        )
    if not pid:
        lines = tail(folder.log, 5)
        if any("No module named" in line for line in lines):
            raise StartFailed(
                f"The Python environment of {python} has no gpucluster. "
                f"Install it there: {python} -m pip install {_origin()}"
            )
        if any("nknown option: -P" in line for line in lines):
            raise StartFailed(f"The Python {python} is too old; clusters need Python 3.11 or newer.")
        raise StartFailed(_ended_early(lines))
    return int(pid)


def _origin() -> str:
    """Return what to pass to ``pip install`` for the gpucluster of this process: its wheel or checkout, else its
    name."""
    try:
        origin = distribution("gpucluster").read_text("direct_url.json")
    except PackageNotFoundError:
        return "gpucluster"
    if not origin:  # From an index.
        return "gpucluster"
    found = json.loads(origin)
    if vcs := found.get("vcs_info"):
        return shlex.quote(f"{vcs['vcs']}+{found['url']}@{vcs['commit_id']}")
    address = urlsplit(found["url"])
    path = unquote(address.path)
    if address.scheme != "file":
        return shlex.quote(address.geturl())
    return shlex.quote(path if os.path.exists(path) else os.path.basename(path))


def _ended_early(lines: list[str]) -> str:
    if not lines:
        return (
            "The cluster's process exited during startup without a message: it was killed, or the machine ran out of "
            "memory. Try again."
        )
    return f"The cluster's process exited during startup. Its last output: {lines[-1].rstrip('. ')}."


PREVIEW_SECONDS = 60.0


async def preview(spec: SpecBase) -> Submission:
    """Return what would be submitted; starts nothing. Raises `GPUClusterError`: it would be refused."""
    python = await asyncio.to_thread(python_of, spec.kernel_name)
    command = [python, "-P", "-m", "gpucluster.supervisor.preview"]
    environment = with_variables_of_workers({**cluster_environment(), **spec.process_environment()})
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            env=environment, cwd=os.path.abspath(os.sep),
        )  # fmt: skip
    except OSError as error:
        raise StartFailed(f"The Python of the cluster, {python}, cannot be run ({error.strerror}).") from error
    try:
        answer, _ = await asyncio.wait_for(process.communicate(spec.model_dump_json().encode()), PREVIEW_SECONDS)
    except TimeoutError:
        raise StartFailed(f"The preview was not ready within {PREVIEW_SECONDS:.0f} seconds.") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
    try:
        if process.returncode == 0:
            return Submission.model_validate_json(answer)
        refused: GPUClusterError = error_from_model(ErrorModel.model_validate_json(answer))
    except ValidationError:
        refused = StartFailed(
            f"The Python of the cluster, {python}, does not have this version of gpucluster. Install it there: "
            f"{python} -m pip install {_origin()}"
        )
    raise refused


RELEASE_SECONDS = 5.0


def standbys(registry: Registry, *, clean: bool = False) -> list[tuple[Folder, Record]]:
    """Return the running standbys; `clean` deletes the folders of dead ones. Call while holding the registry's lock."""
    found = []
    for folder in registry.folders():
        with suppress(GPUClusterError):
            record = registry.read(folder)
            if record is None or record.kind != "standby":
                continue
            if lock.is_held(folder.lock):
                found.append((folder, record))
            elif clean:
                registry.delete(folder)
    return found


def take_standby(registry: Registry, wanted: str) -> tuple[Folder, ProcessIdentity | None] | tuple[None, None]:
    """Return a standby with that fingerprint, ready ones first. Call it while holding the registry's lock.

    Even one that is still warming up is faster than a new process.
    """
    fitting = [(folder, record) for folder, record in standbys(registry, clean=True) if record.fingerprint == wanted]
    fitting.sort(key=lambda item: not item[1].ready)
    return (fitting[0][0], fitting[0][1].process) if fitting else (None, None)


def start_standby(registry: Registry, *, python: str) -> bool:
    """Start a standby unless one with the same fingerprint is running; returns whether one was started.

    It runs until this process ends or releases it. Standbys that no longer fit are released.
    """
    environment = cluster_environment()
    wanted = fingerprint(python, environment)
    with registry.exclusive():
        living = standbys(registry, clean=True)
        fitting = [folder for folder, record in living if record.fingerprint == wanted]
        for folder, _ in living:
            if folder not in fitting:
                release_standby(folder)
        if fitting:
            want_standby(fitting[0])
            return False
        folder, held = registry.new_folder()
        try:
            want_standby(folder)
            registry.write(folder, Record(kind="standby", fingerprint=wanted))
        except BaseException:
            os.close(held)
            registry.delete(folder)
            raise
    try:
        home = os.path.expanduser("~")
        pid = launch(folder, held, python=python, cwd=home, environment=environment, standby=True)
    except BaseException:
        registry.delete(folder)
        raise
    with registry.exclusive():
        record = registry.read(folder)
        if record is not None and record.kind == "standby" and record.process is None:
            # It records its own id only much later, and may have to be killed before that.
            registry.write(folder, record.model_copy(update={"process": identify(pid)}))
    return True


async def release_standbys(registry: Registry) -> bool:
    """Release all standbys; returns whether one was wanted. Those that no other process wants end now."""
    released = False
    for folder, _ in standbys(registry):
        if release_standby(folder):
            released = True
            # One that does not respond, or that another process releases a moment later, ends on its next check.
            with suppress(GPUClusterError):
                await ask_supervisor(folder, "POST", "/release", timeout=RELEASE_SECONDS)
    return released
