"""Lesson 04: answers that survive a crash, of a graph and of scattered data that is lost with its worker."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...simulations.recovery import PATIENCE_SECONDS, TaskHistory, addresses, crash, restored
from .. import exercise
from ..answers import several
from .restoring import as_it_was, call_freely, explain


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


def add_up_on_a_worker(data: Any) -> int:
    """The same; in the notebook it fails."""
    from distributed import get_worker

    get_worker()
    return add_up(data)


def refuse(data: Any) -> int:
    """A task that does not like the data."""
    raise ValueError(f"{len(data)} rows are not enough")


def look_up(data: Any) -> int:
    """A task that fails in another way."""
    raise KeyError(f"no entry for {len(data)} rows")


def divide(data: Any) -> int:
    """And in a third one."""
    return int(data.sum()) // 0


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
        for fails, kind in ((refuse, ValueError), (look_up, KeyError), (divide, ZeroDivisionError)):
            _, error = call_freely(exam, with_reload, client, future, fails, load)
            exam.expect(
                "An error of the task itself is passed on, whatever its kind",
                isinstance(error, kind),
                explain(error, with_reload),
            )
        exam.expect(
            "An error of the task itself is no reason to load again", load.calls == 0, f"loaded {load.calls} times"
        )
        if not exam.passed:
            return
        [holder, *_] = client.who_has(future)[future.key]
        load.calls = 0
        crash(client, holder)
        _until_told(future)
        again = exam.call(with_reload, client, future, add_up_on_a_worker, load)
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


def _until_told(future: Any) -> None:
    """Wait until the notebook knows of the loss: until then, what looks at the future's status sees none."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while future.status == "finished" and time.monotonic() < deadline:
        time.sleep(0.02)


def _pair(exam: Examination, found: Any) -> tuple[Any, Any]:
    result, future = several(exam, found, "the result", "the future of the data")
    exam.require("The second is a future", hasattr(future, "key"), describe(future))
    return result, future


def _compared(found: Any, true: Any) -> str:
    return "equal" if found == true else f"{found!r} instead of {true!r}"


def block(seed: int, rows: int, seconds: float, slow: str, slow_seconds: float) -> Any:
    """Whole numbers, so that sums are exact in any order; on the slow worker they take longer."""
    from distributed import get_worker

    time.sleep(slow_seconds if get_worker().address == slow else seconds)
    return np.random.default_rng(seed).integers(-1000, 1000, rows)


def total(*blocks: Any) -> int:
    """The sum of all blocks."""
    return int(sum(int(one.sum()) for one in blocks))


@exercise("04.2", "survive")
def check_survive(exam: Examination, survive: Any) -> None:
    """A worker crashes while the graph is computed; the answer is the same, and the worker is replaced.

    A crash after a fixed time comes too late in the first graph, or too early in the second. In the first one, the
    worker that comes first has nothing done for long; in the second, the one that comes last.
    """
    threads = sum(exam.client.nthreads().values())
    _expect_survival(exam, survive, blocks=max(10, 3 * threads), seconds=0.15, slow=0, slow_seconds=0.9)
    if exam.passed:
        _expect_survival(exam, survive, blocks=max(5, 3 * threads), seconds=1.0, slow=-1, slow_seconds=2.0)


def _expect_survival(
    exam: Examination, survive: Any, *, blocks: int, seconds: float, slow: int, slow_seconds: float
) -> None:
    from dask.delayed import delayed

    client = exam.client
    seeds = [int(seed) for seed in exam.rng.integers(0, 1 << 30, blocks)]
    rows = int(exam.rng.integers(500, 1500))
    true = total(*(np.random.default_rng(seed).integers(-1000, 1000, rows) for seed in seeds))
    with as_it_was(client) as workers_before:
        old = addresses(client)
        slowest = old[slow] if len(old) > 1 else ""
        parts = [delayed(block, pure=False)(seed, rows, seconds, slowest, slow_seconds) for seed in seeds]
        lazy = delayed(total, pure=False)(*parts)
        with TaskHistory(client) as history:
            result = exam.call(survive, client, lazy)
        now = addresses(client)
    gone = len(set(old) - set(now))
    exam.expect("One worker crashes", gone == 1, f"{gone} of {len(old)} workers are not there any more")
    right = isinstance(result, (int, np.integer)) and int(result) == true
    exam.expect(
        "The result is exactly that of an undisturbed run", right, "equal" if right else f"{result!r} is another"
    )
    times = {key: history.computed[key] for key in (part.key for part in parts)}
    seen = sum(map(bool, times.values()))
    exam.expect("The whole graph is computed on the cluster", seen == blocks, f"{seen} of {blocks} blocks seen")
    twice = sum(number > 1 for number in times.values())
    exam.expect("The crash comes in the middle: something that the worker had done is computed again", twice > 0,
                f"{twice} of {blocks} blocks were computed more than once")  # fmt: skip
    once = sum(number == 1 for number in times.values())
    exam.expect("What the other workers hold is not computed again", once > 0 or workers_before == 1,
                f"{once} of {blocks} blocks were computed only once")  # fmt: skip
    exam.expect("It returns when there are as many workers as before", len(now) == workers_before,
                f"{len(now)} workers, {workers_before} before")  # fmt: skip
