"""Lesson 04: an answer that survives a crash in the middle."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...examination import Examination
from ...simulations.recovery import TaskHistory, addresses
from .. import exercise
from .disturbing import as_it_was


def block(seed: int, rows: int) -> Any:
    """Whole numbers, so that sums are exact in any order."""
    time.sleep(0.15)
    return np.random.default_rng(seed).integers(-1000, 1000, rows)


def total(*blocks: Any) -> int:
    """The sum of all blocks."""
    return int(sum(int(one.sum()) for one in blocks))


@exercise("04.2", "survive")
def check_survive(exam: Examination, survive: Any) -> None:
    """A worker crashes while the graph is computed; the answer is the same, and the worker is replaced."""
    from dask.delayed import delayed

    client = exam.client
    seeds = [int(seed) for seed in exam.rng.integers(0, 1 << 30, 10)]
    rows = int(exam.rng.integers(500, 1500))
    true = total(*(np.random.default_rng(seed).integers(-1000, 1000, rows) for seed in seeds))
    parts = [delayed(block, pure=False)(seed, rows) for seed in seeds]
    lazy = delayed(total, pure=False)(*parts)
    with as_it_was(client) as workers_before:
        old = set(addresses(client))
        with TaskHistory(client) as history:
            result = exam.call(survive, client, lazy)
        now = addresses(client)
    exam.expect(
        "A worker crashes", bool(old - set(now)), f"{len(old - set(now))} of {len(old)} workers are not there any more"
    )
    right = isinstance(result, (int, np.integer)) and int(result) == true
    exam.expect(
        "The result is exactly that of an undisturbed run", right, "equal" if right else f"{result!r} is another"
    )
    times = {key: history.computed[key] for key in (part.key for part in parts)}
    all_seen = all(times.values())
    exam.expect(
        "The whole graph is computed on the cluster",
        all_seen,
        f"{sum(map(bool, times.values()))} of {len(parts)} blocks seen",
    )
    twice = sum(number > 1 for number in times.values())
    exam.expect("The crash comes in the middle: something that was done is computed again", twice > 0,
                f"{twice} of {len(parts)} blocks were computed more than once")  # fmt: skip
    once = sum(number == 1 for number in times.values())
    exam.expect("What the other workers hold is not computed again", once > 0 or workers_before == 1,
                f"{once} of {len(parts)} blocks were computed only once")  # fmt: skip
    exam.expect("It returns when there are as many workers as before", len(now) == workers_before,
                f"{len(now)} workers, {workers_before} before")  # fmt: skip
