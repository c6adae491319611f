"""Functions and programs that speak MPI by mpi4py's own names: run by ``mpiexec``, or simulated in this process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...examination import describe_error
from .local_communicator import LocalCommunicator
from .local_world import Deadlock, SentMessage, World
from .mpi import mpiexec, run_under_mpi, surroundings
from .outcome import NoMPI, RankFailed

MISSING = "MPI is not installed here (pip install 'gpucluster[mpi]')"
LONGEST_SECONDS = 30


@dataclass(frozen=True)
class MPIRun:
    """What the ranks of a function returned.

    Attributes
    ----------
    results : list
        What each rank returned, in order.
    where : str
        What the ranks were.
    messages : list of SentMessage
        Point to point, in order; only the simulation sees them.
    collectives : list of tuple
        Name, communicator, rank in the world and bytes of each call; only the simulation sees them.
    """

    results: list[Any]
    where: str
    messages: list[SentMessage] = field(default_factory=list, repr=False)
    collectives: list[tuple[str, tuple[Any, ...], int, int]] = field(default_factory=list, repr=False)


def run_mpi(function: Callable[..., Any], *arguments: Any, n_ranks: int = 2) -> MPIRun:
    """Run ``function(comm, *arguments)`` under ``mpiexec``; if MPI is missing, simulate it and report that.

    Parameters
    ----------
    function : callable
        ``comm`` is ``MPI.COMM_WORLD``, or has the same methods.
    *arguments
        Given to each rank as they are.
    n_ranks : int, optional
        How many.
    """
    starter = mpiexec()
    reason = f"{MISSING}."
    if starter is not None:
        try:
            run = run_under_mpi(
                starter, _ignoring_rows(function), np.arange(n_ranks), *arguments, n_ranks=n_ranks, plain=True
            )
            return MPIRun(run.results, run.where)
        except NoMPI as error:
            reason = error.message
    print(f"{reason} The ranks are simulated: threads of this notebook.")
    return simulate(function, *arguments, n_ranks=n_ranks)


def simulate(function: Callable[..., Any], *arguments: Any, n_ranks: int = 2) -> MPIRun:
    """Run ``function(comm, *arguments)`` as several threads with mailboxes, which sees each message."""
    import copy

    world = World(n_ranks)
    results: dict[int, Any] = {}
    errors: dict[int, Exception] = {}

    def rank(number: int) -> None:
        try:
            with np.errstate(all="ignore"):
                comm = LocalCommunicator(world, tuple(range(n_ranks)), number)
                results[number] = function(comm, *copy.deepcopy(arguments))
        except Exception as error:
            errors[number] = error
        finally:
            world.end(number, failed=number in errors and not isinstance(errors[number], Deadlock))

    threads = [threading.Thread(target=rank, args=(number,), daemon=True) for number in range(n_ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST_SECONDS)
    if any(thread.is_alive() for thread in threads):
        raise RankFailed(f"The ranks did not end within {LONGEST_SECONDS} s. Is there a loop that never stops?")
    for number, error in sorted(errors.items()):
        if not isinstance(error, Deadlock):
            raise RankFailed(f"Rank {number} ended with an error: {describe_error(error, function)}") from None
    for error in errors.values():
        raise error
    where = "threads of this process, simulated"
    return MPIRun([results[number] for number in range(n_ranks)], where, world.messages, world.collectives)


def run_script(text: str, *arguments: str, n_ranks: int = 4, seconds: float = 60) -> list[str] | None:
    """Write a program to a file, start it with ``mpiexec -n … python program.py``, and show what it prints.

    A Dask cluster that the program makes speaks TLS, with credentials that only this run has: ``protocol="tls"``.

    Returns
    -------
    list of str or None
        The lines; ``None``, with a sentence, where MPI is missing.
    """
    starter = mpiexec()
    if starter is None:
        print(f"{MISSING}, so this program cannot be started. Read it, and continue.")
        return None
    with tempfile.TemporaryDirectory(prefix="gpucluster-program-") as folder:
        (Path(folder) / "program.py").write_text(text, encoding="utf-8")
        print("$", " ".join(["mpiexec", "-n", str(n_ranks), "python", "program.py", *arguments]))
        command = [starter, "-n", str(n_ranks), sys.executable, "program.py", *arguments]
        environment = {**surroundings(os.environ), **(_private_dask(Path(folder)) if "dask" in text else {})}
        environment.pop("PYTHONUNBUFFERED", None)  # lines of several ranks would be mixed
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=seconds, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            print(f"It did not end within {seconds:.0f} s, and was stopped.")
            return None
    lines = _told(done.stdout.splitlines())
    print("\n".join(lines))
    if done.returncode:
        print(f"mpiexec ended with code {done.returncode}. {' '.join(done.stderr.split())[-400:]}")
        return None
    return lines


def _private_dask(folder: Path) -> dict[str, str]:
    """Let a Dask cluster have credentials and scratch files in a private folder; return the variables that set this."""
    from distributed.security import Security

    made = Security.temporary()
    pairs = {"ca-file": made.tls_ca_file}
    for role in ("scheduler", "worker", "client"):
        keys = made.get_tls_config_for_role(role)
        pairs |= {f"{role}__cert": keys["cert"], f"{role}__key": keys["key"]}
    variables = {"DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True", "DASK_TEMPORARY_DIRECTORY": str(folder)}
    for name, text in pairs.items():
        file = folder / f"{name}.pem"
        file.touch(mode=0o600)
        file.write_text(str(text), encoding="utf-8")
        variables[f"DASK_DISTRIBUTED__COMM__TLS__{name.upper().replace('-', '_')}"] = str(file)
    return variables


def _told(lines: Sequence[str]) -> list[str]:
    """What the program prints, without what Dask logs while it ends."""
    return [line for line in lines if " - distributed." not in line]


def _ignoring_rows(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(comm: Any, _rows: Any, *arguments: Any) -> Any:
        return function(comm, *arguments)

    return called
