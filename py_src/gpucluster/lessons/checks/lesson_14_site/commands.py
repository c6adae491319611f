"""Lesson 14, command lines of Dask: read as Dask itself reads them; nothing is started."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dask.utils import parse_bytes

from ....dask_internals.comms import command_lines
from ...examination import Examination, Halt
from .. import exercise
from .words import command_words


@exercise("14.4", "scheduler_command", "worker_command")
def check_commands(exam: Examination, scheduler_command: Any, worker_command: Any) -> None:
    """Dask's own command lines are asked how they understand what is returned; nothing is started."""
    commands = command_lines()
    for turn in range(24):
        file: Any = ["/shared/me/scheduler.json", "/shared/our project/s.json", "/tmp/a 'b'/s.json"][turn % 3]  # noqa: S108
        file = Path(file) if turn % 4 == 3 else file
        interface = [None, "ib0", "hsn0"][int(exam.rng.integers(3))]
        protocol = [None, "tcp", "tls", "ucx"][int(exam.rng.integers(4))]
        threads = int(exam.rng.integers(1, 65))
        memory = str(exam.rng.choice(["2 GiB", "512 MiB", "4GB", "100 GiB"]))
        both = (
            ("scheduler", commands["scheduler"], exam.call(scheduler_command, file, interface, protocol)),
            ("worker", commands["worker"], exam.call(worker_command, file, threads, memory, interface, protocol)),
        )
        for name, reader, found in both:
            given = _understood(exam, name, reader, found)
            shown = str(found)
            same = str(given.get("scheduler_file")) == str(file)
            exam.expect(f"The {name} gets the scheduler file", same, f"{given.get('scheduler_file')!r}: {shown}")
            for option, true in (("interface", interface), ("protocol", protocol)):
                told = f"The {name} gets --{option} where it is given, and only there"
                exam.expect(told, given.get(option) == true, f"{given.get(option)!r} instead of {true!r}: {shown}")
            if name == "scheduler":
                exam.expect("The system chooses the scheduler's port", str(given.get("port")) == "0", shown)
                continue
            exam.expect("The worker gets its threads", given.get("nthreads") == threads, shown)
            exam.expect("It is one process", str(given.get("n_workers")) == "1", shown)
            exam.expect("The worker gets its memory", _bytes(given.get("memory_limit")) == parse_bytes(memory), shown)


def _bytes(text: Any) -> int:
    try:
        return int(parse_bytes(text))
    except (ValueError, AttributeError, TypeError):
        return -1


def _understood(exam: Examination, name: str, reader: Any, found: Any) -> dict[str, Any]:
    """Return the options as Dask's own command line reads them, or end the examination."""
    from click import ClickException

    words = command_words(exam, found, f"The {name}'s command")
    right = words[:2] == ["dask", name]
    exam.require(f"The {name}'s command begins with dask {name}", right, f"it begins with {' '.join(words[:2])}")
    try:
        context = reader.make_context(f"dask {name}", words[2:])
    except ClickException as error:
        exam.require(f"dask {name} takes the command", False, f"{error.format_message()} In: {found}")
        raise Halt from error
    return dict(context.params)
