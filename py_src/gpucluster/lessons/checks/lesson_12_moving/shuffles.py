"""Lesson 12, shuffles: how many bytes a merge sends between workers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination
from ...probes.transfers import bytes_between_workers
from .. import exercise
from ..answers import number

TYPES = ("int8", "int16", "int32", "int64", "float32", "float64", "uint16")
SPREAD = 0.2


def random_table(rng: np.random.Generator, rows: int, columns: int, key: str = "int64") -> Any:
    """Return a table with the key and columns of several types."""
    import pandas as pd

    table = {"key": rng.permutation(rows).astype(key)}
    for number_ in range(columns):
        table[f"c{number_}"] = rng.integers(0, 100, rows).astype(str(rng.choice(TYPES)))
    return pd.DataFrame(table)


def true_bytes(left: Any, right: Any, n_workers: int) -> float:
    """Return the bytes of all rows with their index, without those that are where they belong."""
    rows = [len(table) * (8 + sum(dtype.itemsize for dtype in table.dtypes)) for table in (left, right)]
    return float(sum(rows) * (n_workers - 1) / n_workers)


@exercise("12.8", "shuffled_bytes")
def check_shuffle(exam: Examination, shuffled_bytes: Any) -> None:
    """The prediction is right for random tables, and near to what was measured when workers merged two of them."""
    for turn in range(30):
        rows = [int(exam.rng.integers(1, 3000)) for _ in range(2)]
        key = str(exam.rng.choice(["int32", "int64"]))
        left, right = (random_table(exam.rng, n, int(exam.rng.integers(0, 7)), key) for n in rows)
        workers = 1 if turn == 0 else int(exam.rng.integers(2, 40))
        true = true_bytes(left, right, workers)
        found = number(exam, exam.call(shuffled_bytes, left, right, workers), "The prediction")
        near = abs(found - true) <= 0.01 * true + 1
        types = ", ".join(str(dtype) for dtype in left.dtypes)
        case = f"{rows[0]:,} rows of {types} and {rows[1]:,} rows, {workers} workers"
        exam.expect("The bytes are right within one per cent", near,
                    f"{found:,.0f}" + ("" if near else f", not {true:,.0f}: {case}"))  # fmt: skip
    if not exam.passed:
        return
    import dask.dataframe as dd

    tables = [random_table(exam.rng, 60_000, 3) for _ in range(2)]
    workers = len(exam.client.ncores())
    with exam.client.as_current():
        left, right = (dd.from_pandas(one, npartitions=2 * workers).persist() for one in tables)
        measured = bytes_between_workers(exam.client, left.merge(right, on="key", shuffle_method="p2p"))
    found = number(exam, exam.call(shuffled_bytes, *tables, workers), "The prediction")
    near = abs(found - measured) <= SPREAD * measured + 20_000 if workers > 1 else True
    exam.expect("It is within 20 % of what the workers sent", near, f"{found:,.0f} predicted, {measured:,} measured")
