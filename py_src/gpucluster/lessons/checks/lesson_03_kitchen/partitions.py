"""Lesson 03: partitions of equal size, and few large tasks instead of many tiny ones."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...examination import Examination, describe, describe_error
from ...probes.transfers import Traffic
from .. import exercise
from .observing import watched_kitchen


def skewed_table(rng: np.random.Generator, rows: int, sizes: list[int]) -> Any:
    """Return a lazy table whose partitions have these sizes; its rows are in no order, its index says nothing."""
    import dask.dataframe as dd
    import pandas as pd

    numbers = rng.permutation(rows)
    table = pd.DataFrame({"row": numbers, "value": rng.normal(size=rows), "text": [f"r{number}" for number in numbers]})
    edges = np.cumsum([0, *sizes])
    parts = [table.iloc[start:end].reset_index(drop=True) for start, end in pairwise(edges)]
    return dd.from_map(lambda part: part, parts)


def skewed_sizes(rng: np.random.Generator, rows: int, count: int) -> list[int]:
    """Cut a number of rows so that one part has about two thirds of them, wherever it stands."""
    small = rng.uniform(0.5, 1.5, count - 1)
    sizes = [int(size) for size in rows / 3 * small / small.sum()]
    sizes.insert(int(rng.integers(0, count)), 0)
    sizes[sizes.index(0)] = rows - sum(sizes)
    return sizes


@exercise("03.4", "balance")
def check_balance(exam: Examination, balance: Any) -> None:
    """All partitions have about the same number of rows, and the rows are those that there were."""
    client = exam.client
    with client.as_current():
        # Limits that Dask only estimates may be good enough for one table, hardly ever for all of them.
        for count, wanted in ((5, 5), (3, 4), (5, 8), (5, 8), (5, 8)):
            rows = int(exam.rng.integers(9_000, 12_000))
            table = skewed_table(exam.rng, rows, skewed_sizes(exam.rng, rows, count))
            with Traffic(client) as traffic:
                result = exam.call(balance, table, wanted)
            lazy = hasattr(result, "to_delayed") and hasattr(result, "map_partitions")
            exam.require("It returns a lazy Dask table", lazy, describe(result))
            _expect_balanced(exam, client, result, rows, wanted)
            weight = 30 * rows
            exam.expect("The rows do not travel through the notebook", traffic.bytes < 0.5 * weight,
                        f"{traffic.bytes:,} bytes came to the notebook; the table has about {weight:,}")  # fmt: skip
            if not exam.passed:
                return


def _expect_balanced(exam: Examination, client: Any, result: Any, rows: int, wanted: int) -> None:
    try:
        found = client.gather(client.compute([part["row"] for part in result.to_delayed()]))
    except Exception as error:
        exam.require("The result can be computed", False, describe_error(error))
        return
    sizes = [len(part) for part in found]
    exam.expect(
        "There are as many partitions as were asked for", len(sizes) == wanted, f"{len(sizes)} instead of {wanted}"
    )
    mean = sum(sizes) / max(1, len(sizes))
    exam.expect("The largest partition has at most 1.3 times the mean number of rows", max(sizes) <= 1.3 * mean,
                f"{max(sizes) / max(mean, 1e-9):.2f} times: rows {sizes}")  # fmt: skip
    numbers = np.sort(np.concatenate([np.asarray(part) for part in found]))
    distinct = len(np.unique(numbers))
    exam.expect("No row is lost", distinct == rows, f"{distinct} different rows of {rows}")
    exam.expect("No row is there twice", len(numbers) == distinct, f"{len(numbers) - distinct} too many")


@exercise("03.5", "batched")
def check_batched(exam: Examination, batched: Any) -> None:
    """The same sum from at most 50 tasks, computed by the workers."""
    factor = int(exam.rng.integers(2, 9))

    def tiny(number: int) -> int:
        from distributed import get_worker

        get_worker()  # raises an error where no worker is
        return int(number) * factor + 1

    for count in (int(exam.rng.integers(2_600, 3_200)), int(exam.rng.integers(51, 99)), 3):
        numbers = [int(number) for number in exam.rng.integers(-1_000, 1_000, count)]
        true = sum(number * factor + 1 for number in numbers)
        with watched_kitchen(2) as kitchen, kitchen.client.as_current():
            result = exam.call(batched, kitchen.client, tiny, list(numbers))
            if hasattr(result, "compute"):
                result = result.compute(scheduler=kitchen.client)
            elif hasattr(result, "key"):
                result = result.result(timeout=20)
            tasks = len(kitchen.seconds)
        number = getattr(result, "item", lambda result=result: result)()
        exam.expect("It is the sum over all numbers, for any count of them", number == true,
                    f"{number!r} instead of {true} for {count} numbers" if number != true else "equal")  # fmt: skip
        exam.expect("At most 50 tasks reach the scheduler", tasks <= 50, f"{tasks} tasks for {count} numbers")
        exam.expect("The cooks do the work, not the notebook", tasks > 0, f"{tasks} tasks for {count} numbers")
        if not exam.passed:
            return
