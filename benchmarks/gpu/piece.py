"""One piece of the proof: a command with a limit, whose outcome is written down."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import psutil

from .machine_facts import ROOT

Outcome = Literal["passed", "failed", "timed out"]
MARK = "GPUCLUSTER_PIECE"
"""A variable that all processes of a piece have in common, wherever they were started from."""
GRACE_SECONDS = 10.0
"""From the request to end until a piece is killed."""


@dataclass(frozen=True)
class Piece:
    """What is run.

    Attributes
    ----------
    name : str
        Folder of its results, and what ``--only`` takes.
    title : str
        What it tests, in a few words.
    command : tuple of str
        Arguments for Python. ``{figures}`` stands for the file that it writes its figures to.
    seconds : float
        Timeout, after which it is killed.
    needs : tuple of str
        Modules without which it cannot run.
    simulated : bool
        Whether it can run, as far as it goes, with a simulated driver library.
    """

    name: str
    title: str
    command: tuple[str, ...]
    seconds: float
    needs: tuple[str, ...] = ()
    simulated: bool = True


@dataclass(frozen=True)
class Result:
    """The outcome of one run of a piece. Written as ``result.json`` beside ``log.txt`` and ``figures.json``."""

    name: str
    outcome: Outcome
    returncode: int | None
    seconds: float
    began_at: str
    commit: str
    simulated: bool
    command: str


def run(
    piece: Piece,
    folder: Path,
    *,
    python: str,
    environment: Mapping[str, str],
    commit: str,
    simulated: bool,
) -> Result:
    """Run a piece in a separate session, and leave no process behind, not even a cluster's in another session.

    Parameters
    ----------
    piece : Piece
    folder : Path
        Is given the log, the figures and the result.
    python : str
        The interpreter.
    environment : mapping
        Of the command.
    commit : str
        What is proved.
    simulated : bool
        Whether the GPU is simulated.
    """
    folder.mkdir(parents=True, exist_ok=True)
    mark = uuid.uuid4().hex
    figures = folder / "figures.json"
    figures.unlink(missing_ok=True)
    command = [python, *(part.replace("{figures}", str(figures)) for part in piece.command)]
    began, began_at = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=ROOT,
            env={**environment, MARK: mark},
            start_new_session=True,
        )
        outcome: Outcome
        try:
            process.wait(piece.seconds)
            outcome = "passed" if process.returncode == 0 else "failed"
        except subprocess.TimeoutExpired:
            outcome = "timed out"
        finally:
            _end(process)
            _end_marked(mark)
    result = Result(
        name=piece.name,
        outcome=outcome,
        returncode=process.returncode,
        seconds=round(time.monotonic() - began, 1),
        began_at=began_at,
        commit=commit,
        simulated=simulated,
        command=" ".join(["python", *piece.command]),
    )
    write_json(folder / "result.json", asdict(result))
    return result


def read_result(folder: Path) -> Result | None:
    """Return the last result of a piece; ``None`` if it has not been run, or its file cannot be read."""
    try:
        return Result(**json.loads((folder / "result.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_json(path: Path, content: object) -> None:
    """Write a file that is whole or not there, even when this process is killed."""
    written = path.with_suffix(".new")
    written.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    written.replace(path)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of the piece's process group: first politely, so that clusters can be stopped."""
    for kind, patience in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, GRACE_SECONDS)):
        try:
            os.killpg(process.pid, kind)
        except ProcessLookupError:
            break
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline and _lives(process):
            time.sleep(0.05)
    process.wait()


def _end_marked(mark: str) -> None:
    """End the processes that have left the piece's group, such as supervisors and their workers."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        found = [process for process in psutil.process_iter() if carries_mark(process, mark)]
        for process in found:
            with suppress(psutil.NoSuchProcess):
                process.send_signal(kind)
        psutil.wait_procs(found, GRACE_SECONDS)


def carries_mark(process: psutil.Process, mark: str) -> bool:
    """Return whether a process was started by the piece with that mark, or by a process that was."""
    try:
        return process.environ().get(MARK) == mark
    except (psutil.Error, OSError):  # It has ended, or is another user's.
        return False


def _lives(process: subprocess.Popen[bytes]) -> bool:
    process.poll()
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True
