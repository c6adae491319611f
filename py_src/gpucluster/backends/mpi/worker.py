"""The process of each rank: it receives its settings through MPI, then dask-mpi runs a worker in it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import tempfile
import traceback
from contextlib import suppress
from typing import Any, NoReturn

from ...comm.mpi.world import forget_names_of_shared_memory, prepare_library
from ...operating_system.files import everybody_may_fill

FAILED = "could not start: "
BROKEN = "has ended: "
ENDED = "its worker has ended"


def work(control: int, given: int) -> NoReturn:
    """Run a worker until it ends; then end this process, without waiting for other ranks as MPI itself would."""
    try:
        _work(control, given)
        sys.stderr.write(f"{ENDED}\n")
    except BaseException as error:
        traceback.print_exc()
        sys.stderr.write(f"{BROKEN if _has_worked() else FAILED}{_cause(error)}\n")
    finally:
        with suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(1)


def _work(control: int, given: int) -> None:
    prepare_library()
    # Otherwise MPICH lets the launcher end all processes before the parent process can report which rank it was.
    os.environ.setdefault("MPIR_CVAR_COREDUMP_ON_ABORT", "1")
    from mpi4py import MPI

    world: Any = MPI.COMM_WORLD
    settings, number = _receive(world, given)
    forget_names_of_shared_memory(world)
    _choose_gpu(settings, world)
    if settings["joins"]:
        from ...comm.mpi.world import join

        join(_address_towards(settings["scheduler"]))
    os.environ.update(settings["environment"])
    with suppress(OSError):
        os.chdir(settings["directory"])
    for place in settings["import_from"]:
        with suppress(OSError):  # It is not on this host.
            is_mine = place == settings["directory"] or os.stat(place).st_uid in {0, os.getuid()}
            if is_mine and place not in sys.path and not everybody_may_fill(place):
                sys.path.append(place)  # Last: no file there replaces what is installed.
    scratch = _make_scratch(settings)
    keep_mpi(MPI, BROKEN)
    os.write(control, json.dumps({"rank": number, "scratch": scratch}).encode() + b"\n")
    import dask

    # The reader adds the time.
    plain = {"distributed.admin.log-format": "%(levelname)-7s %(name)s  %(message)s"}
    dask.config.set({**plain, **settings["config"], "temporary-directory": scratch})
    from dask_mpi.cli import main as run_dask_mpi

    from ...dask_internals.listening import serve_no_worker_pages

    serve_no_worker_pages()
    options = {**settings["options"], "name": str(number), "host": _address_towards(settings["scheduler"])}
    arguments = [*settings["arguments"], *_memory_limit(settings, world), "--local-directory", scratch]
    arguments += ["--worker-options", json.dumps(options)]
    run_dask_mpi.main(args=arguments, prog_name="dask-mpi", standalone_mode=False)


def _receive(world: Any, given: int) -> tuple[dict[str, Any], int]:
    """Return the message to all ranks, and the number of this one.

    If launcher and MPI do not belong together, each process is alone in its world. With Slurm, which passes the input
    to all processes, its own numbers are used then; tasks cannot use MPI.
    """
    line = sys.stdin.readline() if world.Get_rank() == 0 else ""
    settings: dict[str, Any] | None = world.bcast(json.loads(line) if line else None)
    size, number = world.Get_size(), world.Get_rank()
    if settings is None or size != settings["n_workers"]:
        alone = size == 1 and settings is not None and "SLURM_PROCID" in os.environ
        if not alone:
            from mpi4py import MPI

            library = MPI.Get_library_version().splitlines()[0].strip("\0 ")
            raise RuntimeError(
                f"the launcher and mpi4py ({library}) use different MPI installations: this rank sees {size} in total"
            )
        number = given
    assert settings is not None
    return settings, number


def _choose_gpu(settings: dict[str, Any], world: Any) -> None:
    """Make one GPU of this host visible, by the number of this rank among those on the host."""
    if not settings["gpus_per_rank"]:
        return
    place = _place_here(world)
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    found = [name.strip() for name in given.split(",") if name.strip()] if given is not None else _gpus()
    if len(found) == 1 and "SLURM_PROCID" in os.environ:
        place = 0  # Slurm has chosen already.
    if place >= len(found):
        raise RuntimeError(
            f"{socket.gethostname()} has {len(found)} GPUs for this program, but at least {place + 1} ranks: start "
            "fewer there"
        )
    os.environ["CUDA_VISIBLE_DEVICES"] = found[place]


def _place_here(world: Any) -> int:
    for name in ("SLURM_LOCALID", "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK"):
        with suppress(KeyError, ValueError):
            return int(os.environ[name])
    from mpi4py import MPI

    return int(world.Split_type(MPI.COMM_TYPE_SHARED).Get_rank())


def _memory_limit(settings: dict[str, Any], world: Any) -> list[str]:
    """Return dask-mpi's option for an equal share of memory; dask-cuda, which sees one GPU, would use all of it."""
    if not settings["gpus_per_rank"] or not settings["memory_is_shared"]:
        return []
    from mpi4py import MPI

    from ...dask_internals.machine import memory_bytes

    here = world.Split_type(MPI.COMM_TYPE_SHARED).Get_size()
    if world.Get_size() == 1:  # If MPI knows of no others, Slurm does.
        here = int(os.environ.get("SLURM_STEP_TASKS_PER_NODE", "1").partition("(")[0].partition(",")[0])
    return ["--memory-limit", str(memory_bytes() // max(1, here))]


def _gpus() -> list[str]:
    import pynvml

    pynvml.nvmlInit()
    try:
        handles = [pynvml.nvmlDeviceGetHandleByIndex(place) for place in range(pynvml.nvmlDeviceGetCount())]
        return [str(pynvml.nvmlDeviceGetUUID(handle)) for handle in handles]
    finally:
        pynvml.nvmlShutdown()


def _make_scratch(settings: dict[str, Any]) -> str:
    top = settings["local_directory"] or os.environ.get("SLURM_TMPDIR") or tempfile.gettempdir()
    os.makedirs(top, mode=0o700, exist_ok=True)
    return tempfile.mkdtemp(prefix=f"{settings['scratch']}-", dir=top)


def _address_towards(scheduler: str) -> str:
    """Return this host's address towards the scheduler, by which others reach the worker."""
    host, _, port = scheduler.partition("://")[2].rpartition(":")
    host = host.strip("[]")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, int(port)))
        return str(probe.getsockname()[0])


def _has_worked() -> bool:
    if "distributed" not in sys.modules:
        return False
    from ...dask_internals.workers.worker_state import was_running_here

    return was_running_here()


def _cause(error: BaseException) -> str:
    while error.__cause__ is not None and not isinstance(error.__cause__, asyncio.CancelledError):
        error = error.__cause__
    if isinstance(error, SystemExit):
        return f"a task called sys.exit({'' if error.code is None else repr(error.code)[:80]})"
    if isinstance(error, KeyboardInterrupt):
        return "KeyboardInterrupt was raised in a task, or it received SIGINT"
    if isinstance(error, TimeoutError):
        return "it did not reach the scheduler within a minute; set interface to use another network"
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"the module '{error.name}' is not installed there"
    text = str(error).strip().splitlines()
    if isinstance(error, RuntimeError) and text:
        return text[0][:300]
    return f"{type(error).__name__}: {text[0][:300]}" if text else type(error).__name__


FINALIZED = "code in a task finalized MPI, which its worker needs"


def keep_mpi(MPI: Any, failed: str) -> None:
    """Let ``MPI.Finalize()`` fail in tasks, and end this process, as `failed`, if other code finalizes MPI anyway.

    Otherwise the worker would seem to work, but could not reach the other ranks.
    """

    def Finalize() -> NoReturn:
        raise RuntimeError(
            "A task cannot finalize MPI: its worker is a rank, which needs MPI until the cluster stops. Leave "
            "MPI.Finalize() out"
        )

    def end(*_: Any) -> NoReturn:
        with suppress(OSError, ValueError):
            sys.stderr.write(f"{failed}{FINALIZED}\n")
            sys.stderr.flush()
        os._exit(1)

    MPI.Finalize = Finalize
    # MPI guarantees to delete attributes of COMM_SELF before it finalizes anything else.
    MPI.COMM_SELF.Set_attr(MPI.Comm.Create_keyval(delete_fn=end), True)
