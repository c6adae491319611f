"""Start a supervisor as a detached process."""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack, suppress

from ..protocol.errors import StartFailed, StartTimedOut
from ..registry.ending import tail
from ..registry.record import Folder
from ..registry.writing import writing
from .environment import with_variables_of_workers

LAUNCH_SECONDS = 60.0
_GONE_SECONDS = 10.0


def launch(
    folder: Folder,
    held: int,
    *,
    python: str,
    cwd: str,
    environment: Mapping[str, str],
    standby: bool = False,
    turn: int | None = None,
    timeout: float = LAUNCH_SECONDS,
) -> int:
    """Start the supervisor of a folder whose record is written.

    Parameters
    ----------
    folder : Folder
        Holds the record of what to start.
    held : int
        Descriptor that holds the folder's lock. It is handed down (and closed here), so that the entry is
        never without a holder from before its record was written until the supervisor's death.
    python, cwd, environment
        Executable, working directory and complete environment of the supervisor and its workers.
    standby : bool
        Warm up and wait for a cluster.
    turn : int, optional
        Descriptor that holds its turn to start, which it waits for first; it is left open here.
    timeout : float
        Most seconds until the process says that it is there.

    Returns
    -------
    int
        The process id of the supervisor.

    Raises
    ------
    StartFailed
        When the Python executable cannot run, or has no gpucluster.
    RegistryUnwritable
        When it has no room for a log.
    StartTimedOut
        When it says nothing in time.
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
                # -P: the caller's directory is not searched for modules, whatever the files in it are called.
                [python, "-P", "-m", "gpucluster.supervisor", *arguments],
                cwd=cwd,
                env=with_variables_of_workers(environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(held, report_child, *(() if turn is None else (turn,))),
                start_new_session=True,
            )
            ours.close()  # Else its end would not be noticed.
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
            f"The cluster's process was not there after {timeout:.0f} seconds and was ended. Its Python is {python}."
        )
    if not pid:
        lines = tail(folder.log, 5)
        if any("No module named" in line for line in lines):
            raise StartFailed(
                f"The Python environment of {python} has no gpucluster. "
                f"Install it there: {python} -m pip install gpucluster"
            )
        if any("nknown option: -P" in line for line in lines):
            raise StartFailed(f"The Python {python} is too old; clusters need Python 3.11 or newer.")
        raise StartFailed(_ended_early(lines))
    return int(pid)


def _ended_early(lines: list[str]) -> str:
    if not lines:
        return (
            "The cluster's process was ended before it had started, and had said nothing: somebody killed it, or the "
            "machine ran out of memory. Try again."
        )
    return f"The cluster's process ended before it had started. The last it said: {lines[-1].rstrip('. ')}."
