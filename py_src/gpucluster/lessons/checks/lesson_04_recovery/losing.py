"""Lesson 04: scattered data that is lost, tasks that write files, and tasks that end their worker."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from ...examination import Examination, describe, describe_error
from ...recovery import addresses, crash, restored
from .. import exercise
from .rerunning import as_it_was, call_freely, explain


class Loader:
    """Loads the same data whenever it is asked, and counts."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.data = rng.integers(0, 1000, int(rng.integers(100, 200)))
        self.calls = 0

    def __call__(self) -> Any:
        self.calls += 1
        return self.data.copy()


def add_up(data: Any) -> int:
    """A task on the data; defined here, so that workers import it."""
    return int(data.sum())


def refuse(data: Any) -> int:
    """A task that does not like the data."""
    raise ValueError(f"{len(data)} rows are not enough")


@exercise("04.3", "with_reload", "why")
def check_reload(exam: Examination, with_reload: Any, why: Any) -> None:
    """Scattered data that is lost is loaded again; data that is there is not, and other errors are not hidden."""
    client = exam.client
    load = Loader(exam.rng)
    true = add_up(load.data)
    with as_it_was(client):
        held = client.scatter(load.data.copy(), workers=[addresses(client)[-1]], hash=False)
        result, future = _pair(exam, exam.call(with_reload, client, held, add_up, load))
        exam.expect("While the data is there, it is not loaded again", load.calls == 0, f"loaded {load.calls} times")
        exam.expect("The result is right while the data is there", result == true, _compared(result, true))
        _, error = call_freely(exam, with_reload, client, future, refuse, load)
        exam.expect(
            "An error of the task itself is passed on", isinstance(error, ValueError), explain(error, with_reload)
        )
        exam.expect(
            "An error of the task itself is no reason to load again", load.calls == 0, f"loaded {load.calls} times"
        )
        if not all(finding.passed for finding in exam.findings):
            return
        [holder, *_] = client.who_has(future)[future.key]
        load.calls = 0
        crash(client, holder)
        again = exam.call(with_reload, client, future, add_up, load)
        exam.expect(
            "After a crash of the worker that held it, the data is loaded once",
            load.calls == 1,
            f"loaded {load.calls} times",
        )
        result, future = _pair(exam, again)
        exam.expect("After the crash, the result is right", result == true, _compared(result, true))
        usable = future.status == "finished"
        exam.expect(
            "The future it returns after the crash can be used again", usable, f"its status is {future.status!r}"
        )
        restored(client, len(addresses(client)))
    said = str(why).strip().lower()
    exam.expect("The reason is the right one of the four", said == "c", f"you chose {said[:20]!r}")


def _pair(exam: Examination, found: Any) -> tuple[Any, Any]:
    two = isinstance(found, (tuple, list)) and len(found) == 2 and hasattr(found[1], "key")
    exam.require("It returns two things: the result and the future of the data", two, describe(found))
    return found[0], found[1]


def _compared(found: Any, true: Any) -> str:
    return "equal" if found == true else f"{found!r} instead of {true!r}"


def write_and_crash(record: Callable[..., Any], folder: str, number: int, line: str, marker: str) -> int:
    """Write a line; the first time, end the worker before it can say that it is done."""
    record(folder, number, line)
    if not os.path.exists(marker):
        Path(marker).touch()
        os._exit(1)
    return number


@exercise("04.4", "record", "read_lines")
def check_record(exam: Examination, record: Any, read_lines: Any) -> None:
    """However often a task runs, its line is there once."""
    count = int(exam.rng.integers(5, 12))
    lines = [f"month {number}: {exam.rng.integers(1000)} minutes" for number in range(count)]
    lines[1] = lines[0]  # two tasks may write the same words: comparing lines is not enough
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "once")
        os.mkdir(folder)
        for number, line in enumerate(lines):
            _write(exam, record, folder, number, line)
        _expect_lines(exam, "Each line is there once when each task runs once", read_lines, folder, lines)
        folder = os.path.join(top, "often")
        os.mkdir(folder)
        runs = [number for number in range(count) for _ in range(int(exam.rng.integers(1, 4)))]
        with ThreadPoolExecutor(4) as pool:
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
        if not all(finding.passed for finding in exam.findings):
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
        exam.require("The tasks come to an end", len(done) == count, f"{len(done)} of {count}")
        _expect_lines(exam, "After a real crash, there are exactly as many lines as tasks", read_lines, folder, lines)


def _write(exam: Examination, record: Any, folder: str, number: int, line: str) -> None:
    _, error = call_freely(exam, record, folder, number, line)
    exam.require("record runs without an error", error is None, explain(error, record))


def _expect_lines(exam: Examination, expected: str, read_lines: Any, folder: str, lines: list[str]) -> None:
    found = exam.call(read_lines, folder)
    listed = isinstance(found, (list, tuple)) and all(isinstance(line, str) for line in found)
    exam.require("read_lines returns a list of lines", listed, describe(found))
    same = sorted(line.rstrip("\n") for line in found) == sorted(lines)
    exam.expect(expected, same, f"{len(found)} lines, {len(set(found))} different, from {len(lines)} tasks")


def poison(file: str) -> None:
    """Leave a line, then end the worker."""
    with open(file, "a") as stream:
        stream.write(f"{os.getpid()}\n")
    os._exit(1)


def flaky(file: str, fails: int) -> str:
    """Fail so many times with an ordinary error, then work."""
    with open(file, "a") as stream:
        stream.write("tried\n")
    if len(Path(file).read_text().splitlines()) <= fails:
        raise ConnectionError("the line was busy")
    return "done"


@exercise("04.5", "run_carefully")
def check_carefully(exam: Examination, run_carefully: Any) -> None:
    """Ordinary errors are retried, deaths of workers are counted separately, and settings are put back."""
    from distributed.scheduler import KilledWorker

    client = exam.client
    fails = int(exam.rng.integers(1, 4))
    deaths = int(exam.rng.integers(0, 2))
    with tempfile.TemporaryDirectory() as top, as_it_was(client):
        before = client.run_on_scheduler(_allowed)
        for name, retries in (("enough", fails), ("too few", fails - 1)):
            file = os.path.join(top, name)
            result, error = call_freely(exam, run_carefully, client, flaky, (file, fails), retries, deaths)
            tried = _lines(file)
            if name == "enough":
                exam.expect("A task that fails a few times succeeds with as many retries", result == "done" and error is None,
                            f"result {result!r}, {explain(error, run_carefully)}, tried {tried} times")  # fmt: skip
            else:
                found = error if error is not None else result
                exam.expect("With one retry less, its own error is returned", isinstance(found, ConnectionError),
                            f"{found!r}"[:120] + f", tried {tried} times")  # fmt: skip
        file = os.path.join(top, "poison")
        Path(file).touch()
        result, error = call_freely(exam, run_carefully, client, poison, (file,), 5, deaths)
        found = error if error is not None else result
        exam.expect("A task that ends its workers ends with KilledWorker, which is returned", isinstance(result, KilledWorker),
                    describe_error(found) if isinstance(found, Exception) else f"{found!r}")  # fmt: skip
        exam.expect(
            f"It has then ended {deaths} + 1 workers, and no more",
            _lines(file) == deaths + 1,
            f"{_lines(file)} workers",
        )
        after = client.run_on_scheduler(_allowed)
        client.run_on_scheduler(_set_allowed, number=before)
        exam.expect(
            "The scheduler's setting is put back, whatever happens", after == before, f"{after}, before it was {before}"
        )


def _lines(file: str) -> int:
    path = Path(file)
    return len(path.read_text().splitlines()) if path.exists() else 0


def _allowed(dask_scheduler: Any) -> int:
    return int(dask_scheduler.allowed_failures)


def _set_allowed(dask_scheduler: Any, number: int) -> None:
    dask_scheduler.allowed_failures = number
