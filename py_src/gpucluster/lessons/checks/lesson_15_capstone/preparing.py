"""Lesson 15, no cluster needed: what is known when, parts by date, and what an airport knows at a moment."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...material.conversion import as_pandas
from .. import exercise
from ..answers import Floats, numbers

KNOWN = {
    "carrier": "timetable", "dest": "timetable", "distance": "timetable", "hour": "timetable",
    "sched_arr_time": "timetable", "dep_time": "departure", "dep_delay": "departure", "arr_time": "arrival",
    "arr_delay": "arrival", "air_time": "arrival",
}  # fmt: skip
WORDS = ("timetable", "departure", "arrival")


@exercise("15.2", "known", "split")
def check_split(exam: Examination, known: Any, split: Any) -> None:
    """Words of ten columns; then parts by date of tables in any order, lazy ones too."""
    exam.require("known is a dictionary", isinstance(known, dict), describe(known))
    absent = [name for name in KNOWN if known.get(name) in (None, ...)]
    exam.require("Each column has a word", not absent, f"without one: {', '.join(absent)}")
    wrong = [name for name in KNOWN if str(known[name]).strip().lower() != KNOWN[name]]
    exam.expect("Each column has the moment from which it is known", not wrong,
                f"look again: {wrong[0]}" if wrong else "all have")  # fmt: skip
    for place in range(8):
        table = _days(exam.rng)
        starts = _starts(exam.rng, place % 3 + 1, at_edges=place in (1, 2))
        _expect_parts(exam, exam.call(split, table, list(starts)), table, starts)
        if not exam.passed:
            return
    _check_lazy(exam, split)


def _days(rng: np.random.Generator) -> Any:
    import pandas as pd

    days = pd.date_range("2013-01-01", "2013-12-31")
    chosen = days[rng.permutation(np.repeat(np.arange(len(days)), 2))]
    return pd.DataFrame({"month": chosen.month.astype("int32"), "day": chosen.day.astype("int32"),
                         "flight": rng.permutation(len(chosen))})  # fmt: skip


AFTER_31_DAYS = (2, 4, 6, 8, 9, 11)


def _starts(rng: np.random.Generator, count: int, *, at_edges: bool = False) -> list[tuple[int, int]]:
    """Dates in order, at least one of them not the first of a month.

    At edges, the first one is that of a month after one of 31 days, and the others are last days of months: who counts
    months as 30 or 28 days is found whatever the draw.
    """
    months = np.sort(rng.choice(np.arange(2, 13), size=count, replace=False))
    if at_edges:
        first = int(rng.choice(AFTER_31_DAYS))
        later = [month for month in (7, 8, 10, 12) if month > first][: count - 1]
        return [(first, 1), *((month, 31) for month in later)]
    days = rng.choice([1, 2, 15, 28], size=count)
    days[int(rng.integers(count))] = int(rng.integers(3, 28))
    return [(int(month), int(day)) for month, day in zip(months, days, strict=True)]


def _expect_parts(exam: Examination, parts: Any, table: Any, starts: list[tuple[int, int]]) -> None:
    count = len(starts) + 1
    exam.require("It returns one part more than there are dates", isinstance(parts, (list, tuple))
                 and len(parts) == count, f"{describe(parts)} for {count - 1} dates")  # fmt: skip
    code = (table["month"] * 100 + table["day"]).to_numpy()
    edges = [0, *(month * 100 + day for month, day in starts), 9999]
    total = 0
    for place in range(count):
        part = as_pandas(parts[place])
        columns = list(getattr(part, "columns", []))
        exam.require("Each part is a table with the same columns", columns == list(table.columns),
                     _columns_told(place, part, columns, list(table.columns)))  # fmt: skip
        true = set(table["flight"][(code >= edges[place]) & (code < edges[place + 1])].tolist())
        found = part["flight"].tolist()
        total += len(found)
        exam.expect("A part begins with its date, and ends before the next one", set(found) == true,
                    f"part {place + 1}: {len(set(found) - true)} rows too many, "
                    f"{len(true - set(found))} missing")  # fmt: skip
    exam.expect("Each row is in one part", total == len(table), f"{total} rows in all parts, {len(table)} in the table")


def _columns_told(place: int, part: Any, columns: list[Any], wanted: list[str]) -> str:
    if not hasattr(part, "columns"):
        return f"part {place + 1} is {describe(part)}"
    return f"part {place + 1} has {', '.join(map(str, columns)) or 'none'} instead of {', '.join(wanted)}"


def _check_lazy(exam: Examination, split: Any) -> None:
    import dask.dataframe as dd
    from dask.base import is_dask_collection

    from ..lesson_05_flights.hidden import in_this_process

    table = _days(exam.rng)
    starts = _starts(exam.rng, 2)
    lazy = dd.from_pandas(table, npartitions=3, sort=False)
    with in_this_process() as count:
        parts = exam.call(split, lazy, list(starts))
    exam.require("It returns one part more than there are dates", isinstance(parts, (list, tuple)) and len(parts) == 3,
                 describe(parts))  # fmt: skip
    exam.expect("Parts of a lazy table are lazy, and nothing is computed",
                count[0] == 0 and all(is_dask_collection(part) for part in parts),
                f"computed {count[0]} times")  # fmt: skip
    with in_this_process():
        _expect_parts(exam, parts, table, starts)


def true_now(left: Floats, delay: Floats, asked: Floats, window: float) -> Floats:
    """Return the mean delay of what left in the window before each moment."""
    found = np.zeros(len(asked))
    for place, moment in enumerate(asked):
        chosen = (left > moment - window) & (left <= moment)
        found[place] = delay[chosen].mean() if chosen.any() else 0.0
    return found


@exercise("15.3", "airport_now")
def check_now(exam: Examination, airport_now: Any) -> None:
    """Twelve hidden days: flights and moments in no order, on the borders of the window, without any flight."""
    for place in range(12):
        count = int(exam.rng.integers(1, 60))
        scheduled = exam.rng.integers(300, 1400, count).astype(float)
        delay = np.round(exam.rng.exponential(20, count) - 8)
        left = scheduled + delay
        window = (60.0, 30.0, 90.0)[place % 3]
        # exactly at a departure, exactly a window after one, between, long before and long after all
        asked = np.concatenate([exam.rng.choice(left, 6), exam.rng.choice(left, 6) + window,
                                exam.rng.uniform(300, 1500, 20), [0.0, 9000.0]])  # fmt: skip
        exam.rng.shuffle(asked)
        result = exam.call(airport_now, left.copy(), delay.copy(), asked.copy(), window)
        found = numbers(exam, result, "The result", (len(asked),))
        true = true_now(left, delay, asked, window)
        later = true_now(left, delay, asked + 1e6, window + 1e6)  # all that ever left
        if not np.allclose(found, true, atol=1e-6) and np.allclose(found, later, atol=1e-6):
            exam.expect("It does not look into the future", False, "flights that had not left yet are in the mean")
            return
        far = np.flatnonzero([not ((left > moment - window) & (left <= moment)).any() for moment in asked])
        exam.expect("Where nothing left in the window, it is 0", np.allclose(found[far], 0, atol=1e-9),
                    f"{found[far][np.abs(found[far]).argmax()]:.3g} min at such a moment"
                    if len(far) else "0")  # fmt: skip
        exam.expect("It is the mean delay of what left after moment - window, up to and with the moment",
                    np.allclose(found, true, atol=1e-6),
                    f"largest difference {np.abs(found - true).max():.3g} min")  # fmt: skip
        if not exam.passed:
            return
    empty = exam.call(airport_now, np.array([]), np.array([]), np.array([10.0, 20.0]), 60.0)
    found = numbers(exam, empty, "The result without any flight", (2,))
    exam.expect("Where nothing left in the window, it is 0", np.allclose(found, 0), f"{found}")
