"""Lesson 04: tasks that raise errors, and tasks that end their worker."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from ....dask_internals.scheduler_state import allowed_failures, set_allowed_failures
from ...examination import Examination, describe_error
from .. import exercise
from .restoring import as_it_was, call_freely, explain


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
        usual = client.run_on_scheduler(_allowed)
        before = usual + int(exam.rng.integers(1, 5))  # what Dask has by itself is no guide to what was there
        client.run_on_scheduler(_set_allowed, number=before)
        for name, retries in (("enough", fails), ("too few", fails - 1)):
            file = os.path.join(top, name)
            result, error = call_freely(exam, run_carefully, client, flaky, (file, fails), retries, deaths)
            tried = _lines(file)
            if name == "enough":
                done = result == "done" and error is None
                exam.expect("A task that fails a few times succeeds with as many retries", done,
                            f"result {result!r}, {explain(error, run_carefully)}, tried {tried} times")  # fmt: skip
            else:
                said = f"raised {error!r}" if error is not None else f"{result!r}"
                exam.expect("With one retry less, its own error is returned", isinstance(result, ConnectionError),
                            f"{said:.120}, tried {tried} times")  # fmt: skip
        file = os.path.join(top, "poison")
        Path(file).touch()
        result, error = call_freely(exam, run_carefully, client, poison, (file,), 5, deaths)
        found = error if error is not None else result
        observed = describe_error(found) if isinstance(found, Exception) else f"{found!r}"
        exam.expect(
            "A task that ends its workers ends with KilledWorker, which is returned",
            isinstance(result, KilledWorker),
            observed,
        )
        exam.expect(
            f"It has then ended {deaths} + 1 workers, and no more",
            _lines(file) == deaths + 1,
            f"{_lines(file)} workers",
        )
        after = client.run_on_scheduler(_allowed)
        client.run_on_scheduler(_set_allowed, number=usual)
        exam.expect(
            "The scheduler's setting is put back, whatever happens", after == before, f"{after}, before it was {before}"
        )


def _lines(file: str) -> int:
    path = Path(file)
    return len(path.read_text().splitlines()) if path.exists() else 0


def _allowed(dask_scheduler: Any) -> int:
    return allowed_failures(dask_scheduler)


def _set_allowed(dask_scheduler: Any, number: int) -> None:
    set_allowed_failures(dask_scheduler, number)
