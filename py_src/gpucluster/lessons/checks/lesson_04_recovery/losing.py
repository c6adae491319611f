"""Lesson 04: scattered data that is lost with its worker."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...simulations.recovery import addresses, crash, restored
from .. import exercise
from .disturbing import as_it_was, call_freely, explain


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
