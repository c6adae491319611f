"""Lesson 01, sizes: bytes of a table, and machines that hold them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import number

_LARGEST_ERROR = 0.02


def random_table(rng: np.random.Generator, n_rows: int, kinds: list[str]) -> Any:
    """Return a table with a column of each kind; all its rows are alike in size."""
    import pandas as pd

    words = np.array(["JFK", "LaGuardia Airport", "Newark Liberty", "EWR"])
    make: dict[str, Any] = {
        "int32": lambda: rng.integers(0, 100, n_rows, dtype=np.int32),
        "float64": lambda: rng.normal(size=n_rows),
        "bool": lambda: rng.random(n_rows) < 0.5,
        "time": lambda: np.datetime64("2013-01-01T00:00") + rng.integers(0, 8760, n_rows).astype("timedelta64[h]"),
        "text": lambda: pd.Series(words[rng.integers(0, 4, n_rows)], dtype="str"),
        "object": lambda: pd.Series([str(word) for word in words[rng.integers(0, 4, n_rows)]], dtype=object),
    }
    return pd.DataFrame({f"{kind}_{place}": make[kind]() for place, kind in enumerate(kinds)})


@exercise("01.1", "table_bytes")
def check_table_bytes(exam: Examination, table_bytes: Any) -> None:
    """The estimate is within 2 % of what the whole table takes, with and without object text."""
    numbers, text = ["int32", "float64", "bool", "time"], ["text", "object"]
    chosen = [
        ("numbers only", list(exam.rng.choice(numbers, size=5))),
        ("numbers and text", [*exam.rng.choice(numbers, size=2), "text"]),
        ("numbers and object text", [*exam.rng.choice(numbers, size=2), "object"]),
        ("all kinds", [*numbers, *text]),
    ]
    for name, kinds in chosen:
        n_rows = int(exam.rng.integers(30_000, 60_000))
        table = random_table(exam.rng, n_rows, [str(kind) for kind in kinds])
        sample = table.iloc[:4_000].reset_index(drop=True)
        estimate = number(exam, exam.call(table_bytes, sample, n_rows), "The result")
        true = int(table.memory_usage(deep=True, index=False).sum())
        exam.expect(
            f"The estimate is within 2 % of the whole table, neither more nor less ({name})",
            abs(estimate / true - 1) < _LARGEST_ERROR,
            f"{estimate:,.0f} bytes for {n_rows:,} rows that take {true:,}",
        )


@exercise("01.2", "nodes_needed")
def check_nodes_needed(exam: Examination, nodes_needed: Any) -> None:
    """The nodes hold the data, one node fewer does not; an exact fit needs no node more."""
    rng = exam.rng
    given: list[tuple[float, float, float]] = [(5.7e15, 512 * 2**30, 1.0), (500e9, 80e9, 1.0), (500e9, 80e9, 0.125)]
    for _ in range(40):
        size, usable = int(rng.integers(8, 1024)) * 2**30, float(rng.choice([1.0, 0.5, 0.25, 0.125]))
        given.append((int(rng.integers(1, 400) * size * rng.uniform(0.1, 1)), size, usable))
    for data, node, usable in given:
        found = _count(exam, exam.call(nodes_needed, data, node, usable))
        what = f"{found} for {data:.3g} bytes, nodes of {node:.3g} bytes, usable {usable:g}"
        exam.expect("All the data fits into the nodes", found * node * usable >= data, what)
        exam.expect("One node fewer would be too few", (found - 1) * node * usable < data, what)
    for usable in (1.0, 0.5, 0.25):
        enough, size = int(rng.integers(1, 300)), int(rng.integers(1, 64)) * 2**30
        found = _count(exam, exam.call(nodes_needed, int(enough * size * usable), size, usable))
        exam.expect("Data that fits exactly needs no node more", found == enough, f"{found}, and {enough} would do")
        found = _count(exam, exam.call(nodes_needed, int(enough * size * usable) + 1, size, usable))
        exam.expect(
            "One byte more needs one node more", found == enough + 1, f"{found}, where {enough} hold all but one"
        )
    found = _count(exam, exam.call(nodes_needed, 100, 30))
    exam.expect(
        "Without `usable`, all of the memory may be filled", found == 4, f"{found} for 100 bytes on nodes of 30"
    )


def _count(exam: Examination, value: Any) -> int:
    found = number(exam, value, "The result")
    exam.require("It is a whole number", found == int(found), f"it is {found}")
    return int(found)
