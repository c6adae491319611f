"""Lesson 04: tasks that write, and may run more than once."""

from __future__ import annotations

import builtins
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from distributed import wait

from ...examination import Examination, describe
from ...simulations.recovery import crash
from .. import exercise
from .restoring import as_it_was, call_freely, explain

_MIDWAY_SECONDS = 30.0


def write_and_crash(record: Callable[..., Any], folder: str, number: int, line: str, marker: str) -> int:
    """Write a line; the first time, end the worker before it can say that it is done."""
    record(folder, number, line)
    if not os.path.exists(marker):
        Path(marker).touch()
        os._exit(1)
    return number


def write_and_crash_midway(
    record: Callable[..., Any], folder: str, number: int, line: str, marker: str, opening: int
) -> int:
    """Write a line; the first time, end the worker when it has opened so many files, with nothing in the last."""
    if os.path.exists(marker):
        record(folder, number, line)
        return number
    Path(marker).touch()
    left = opening

    def ending(usual: Callable[..., Any]) -> Callable[..., Any]:
        def opened(file: Any, *args: Any, **options: Any) -> Any:
            nonlocal left
            found = usual(file, *args, **options)
            if isinstance(file, (str, bytes, os.PathLike)) and os.fsdecode(file).startswith(folder):
                left -= 1
                if not left:
                    os._exit(1)
            return found

        return opened

    usual = builtins.open, io.open, os.open
    builtins.open, io.open, os.open = (ending(function) for function in usual)
    try:
        record(folder, number, line)
    finally:
        builtins.open, io.open, os.open = usual
    return number


@exercise("04.4", "record", "read_lines", repeats=False)
def check_record(exam: Examination, record: Any, read_lines: Any) -> None:
    """However often a task runs, its line is there once."""
    count = int(exam.rng.integers(12, 16))
    lines = [f"month {number}: {exam.rng.integers(1000)} minutes" for number in range(count)]
    lines[1] = lines[0]  # two tasks may write the same words: comparing lines is not enough
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "once")
        os.mkdir(folder)
        # Backwards: "1:" stands in what task 11 has written, too.
        for number, line in reversed(list(enumerate(lines))):
            _write(exam, record, folder, number, line)
        _expect_lines(exam, "Each line is there once when each task runs once", read_lines, folder, lines)
        folder = os.path.join(top, "often")
        os.mkdir(folder)
        runs = [number for number in range(count) for _ in range(int(exam.rng.integers(2, 5)))]
        with _quick_turns(), ThreadPoolExecutor(8) as pool:
            jobs = [
                pool.submit(record, folder, runs[index], lines[runs[index]])
                for index in exam.rng.permutation(len(runs))
            ]
        errors = [job.exception() for job in jobs if job.exception()]
        exam.expect(
            "Tasks may run again, also at the same time",
            not errors,
            explain(errors[0], record) if errors else "no error",
        )
        _expect_lines(exam, "Each line is there once however often its task runs", read_lines, folder, lines)
        if not exam.passed:
            return
        folder = os.path.join(top, "crash")
        os.mkdir(folder)
        marker = os.path.join(top, "crashed")
        with as_it_was(exam.client):
            numbers = list(range(count))
            futures = exam.client.map(
                write_and_crash, [record] * count, [folder] * count, numbers, lines, marker=marker, pure=False
            )
            done = exam.client.gather(futures, errors="skip")
            del futures  # Else they are written again when the next crash takes their results along.
        exam.require("The tasks come to an end", len(done) == count, f"{len(done)} of {count}")
        _expect_lines(exam, "After a real crash, there are exactly as many lines as tasks", read_lines, folder, lines)
        if exam.passed:
            _crash_midway(exam, record, read_lines, top)


def _crash_midway(exam: Examination, record: Any, read_lines: Any, top: str) -> None:
    folder = os.path.join(top, "midway")
    os.mkdir(folder)
    lines = [f"begun {number}" for number in range(2)]
    with as_it_was(exam.client):
        for number, line in enumerate(lines):
            marker, opening = os.path.join(top, f"begun-{number}"), number + 1
            future = exam.client.submit(
                write_and_crash_midway, record, folder, number, line, marker, opening, pure=False
            )
            with suppress(TimeoutError):
                wait(future, timeout=_MIDWAY_SECONDS)
            status = future.status
            if status == "pending":
                _end_task(exam.client, future)
            exam.require("A task that begins again after a crash comes to its end", status == "finished",
                         f"it is {status}")  # fmt: skip
    _expect_lines(
        exam, "After a crash between opening a file and writing, each line is there", read_lines, folder, lines
    )


def _end_task(client: Any, future: Any) -> None:
    """End a task that waits for ever, with its worker: it would keep a thread of the learner's cluster busy."""
    busy = [worker for worker, keys in client.processing().items() if future.key in keys]
    future.cancel()
    for worker in busy:
        crash(client, worker)


@contextmanager
def _quick_turns() -> Iterator[None]:
    """Let threads take turns so often that two who write at the same time meet."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def _write(exam: Examination, record: Any, folder: str, number: int, line: str) -> None:
    _, error = call_freely(exam, record, folder, number, line)
    exam.require("record runs without an error", error is None, explain(error, record))


def _expect_lines(exam: Examination, expected: str, read_lines: Any, folder: str, lines: list[str]) -> None:
    found = exam.call(read_lines, folder)
    listed = isinstance(found, (list, tuple)) and all(isinstance(line, str) for line in found)
    exam.require("read_lines returns a list of lines", listed, describe(found))
    same = sorted(line.rstrip("\n") for line in found) == sorted(lines)
    exam.expect(expected, same, f"{len(found)} lines, {len(set(found))} different, from {len(lines)} tasks")
