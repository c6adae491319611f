"""How long a lesson takes and how much memory: ``python -m gpucluster.lessons.measuring [06 …]``.

Runs the solution copies as a learner would run them, with a cluster that the lesson makes and stops, and writes the
figures into the table of ``docs/lessons/README.md``, and what the cells put out beside it, for the lesson's page.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from ..operating_system.resources import usable_processors
from ..protocol.errors import GPUClusterError
from .building.outputs import record_outputs
from .catalogue import Lesson, checkout, find_lesson, lessons
from .execution import ExecutedLesson, execute

_EVERY_S = 0.2
_BEGIN, _END = "<!-- measured: begin -->", "<!-- measured: end -->"


@dataclass(frozen=True)
class Measured:
    """One run of one notebook.

    Attributes
    ----------
    peak_bytes : int
        Most memory of the kernel and the workers at once; pages that processes share count once for each.
    """

    run: ExecutedLesson
    seconds: float
    peak_bytes: int

    @property
    def states(self) -> dict[str, str]:
        """State of each exercise that was checked, as its last check left it."""
        return {check["exercise"]: check["state"] for check in self.run.of_kind("check")}


class _MemoryWatch(threading.Thread):
    """Largest sum of the resident memory of this process's kernels and of the workers in the registry."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak, self.done = 0, threading.Event()

    def run(self) -> None:
        while not self.done.wait(_EVERY_S):
            self.peak = max(self.peak, sum(_resident(pid) for pid in {*_kernels(), *_workers()}))


def measure(notebook: Path, *, cell_timeout: float = 90, **options: Any) -> Measured:
    """Run a notebook in a private registry; see `private_registry`, and `execute` for the options."""
    watch = _MemoryWatch()
    watch.start()
    try:
        run = execute(notebook, cell_timeout=cell_timeout, **options)
    finally:
        watch.done.set()
        watch.join()
    assert run.seconds is not None
    return Measured(run, run.seconds, watch.peak)


@contextmanager
def private_registry() -> Iterator[Path]:
    """Use a temporary folder as the registry, and stop the clusters that are left."""
    from ..client import api

    before = os.environ.get("GPUCLUSTER_DIR")
    with tempfile.TemporaryDirectory(prefix="gm") as folder:
        os.environ["GPUCLUSTER_DIR"] = folder
        try:
            yield Path(folder)
        finally:
            for model in api.list():
                if not model.state.ended:
                    api.connect(model.id).stop()
            if before is None:
                del os.environ["GPUCLUSTER_DIR"]
            else:
                os.environ["GPUCLUSTER_DIR"] = before


def table_row(lesson: Lesson, measured: Measured) -> str:
    """Return the line of the table about a lesson."""
    passed, checks = sum(state == "passed" for state in measured.states.values()), len(lesson.exercises)
    result = f"{checks}" if passed == checks else f"{passed} of {checks}"
    page = f"[{lesson.title}](../../notebooks/{lesson.slug}/{lesson.slug}.ipynb)"
    return (
        f"| {lesson.id} | {page} | {lesson.minutes} | {result} | {measured.seconds:.0f} "
        f"| {measured.peak_bytes / 1e6:,.0f} | {datetime.now(UTC):%Y-%m-%d} |"
    )


def write_rows(path: Path, rows: dict[str, str]) -> None:
    """Put lines into the table of the page, in the order of the lessons; lines of other lessons stay."""
    text = path.read_text(encoding="utf-8")
    begin, end = text.index(_BEGIN) + len(_BEGIN), text.index(_END)
    before = {line[2:4]: line for line in text[begin:end].splitlines() if re.match(r"\| \d\d \|", line)}
    known = {lesson.id for lesson in lessons()}
    merged = {id: line for id, line in sorted({**before, **rows}.items()) if id in known}
    head = f"| Lesson | Title | Minutes | Checks passed | Run (s) | Memory (MB) | Measured |\n|{'---|' * 7}\n"
    lines = "".join(f"{line}\n" for line in merged.values())
    path.write_text(f"{text[:begin]}\n{head}{lines}{text[end:]}", encoding="utf-8")


def machine() -> str:
    """Say where the figures come from."""
    memory = psutil.virtual_memory().total / 2**30
    packages = ", ".join(f"{name} {version(name)}" for name in ("dask", "distributed", "scikit-learn", "pandas"))
    return (
        f"{len(usable_processors())} CPU cores, {memory:.0f} GiB of memory, {platform.system()}, "
        f"Python {platform.python_version()}, {packages}"
    )


def busy_with() -> str:
    """Say whether other programs were busy in the last minute, as the end of a sentence."""
    load = os.getloadavg()[0]
    return "the machine was otherwise idle" if load < 1 else f"other programs were busy (load {load:.0f})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure lessons and write the table."""
    parser = argparse.ArgumentParser(prog="python -m gpucluster.lessons.measuring", description="Measure lessons.")
    parser.add_argument("lessons", nargs="*", help="numbers of lessons; default: all")
    parser.add_argument("--page", type=Path, help="page with the table")
    options = parser.parse_args(arguments)
    page: Path = options.page or (checkout() or Path()) / "docs" / "lessons" / "README.md"
    chosen = [find_lesson(name) for name in options.lessons] or list(lessons())
    failed = False
    for lesson in chosen:
        if lesson is None:
            print("There is no such lesson.", file=sys.stderr)
            return 2
        around = busy_with()
        with private_registry():
            try:
                measured = measure(lesson.solution_notebook)
            except GPUClusterError as error:
                print(f"{lesson.id}: {error}", file=sys.stderr)
                failed = True
                continue
        print(table_row(lesson, measured), flush=True)
        write_rows(page, {lesson.id: table_row(lesson, measured)})
        when = f"on {datetime.now(UTC):%Y-%m-%d}, on {machine()}; {around}"
        record_outputs(lesson.slug, measured.run.notebook, page.parent / "outputs", measured=when)
    print(machine())
    return int(failed)


def _kernels() -> list[int]:
    with suppress(psutil.Error):
        return [child.pid for child in psutil.Process().children(recursive=True) if _is_kernel(child)]
    return []


def _is_kernel(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return "ipykernel_launcher" in " ".join(process.cmdline())
    return False


def _workers() -> list[int]:
    from ..client import api

    with suppress(GPUClusterError, OSError):
        return [worker.pid for model in api.list() if not model.state.ended for worker in model.workers if worker.pid]
    return []


def _resident(pid: int) -> int:
    with suppress(psutil.Error):
        return int(psutil.Process(pid).memory_info().rss)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
