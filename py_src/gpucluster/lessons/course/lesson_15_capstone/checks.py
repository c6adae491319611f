"""The checks of lesson 15."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...answers import Floats, number, numbers, several
from ...checks import exercise
from ...examination import Examination, describe
from ...material.conversion import as_pandas

# No cluster needed: a letter as data, and kinds of tasks.


CHARTER: dict[str, tuple[Any, str]] = {
    "task": ("classification", "each flight gets one of two answers: late or not"),
    "late_from": (30, "from how many minutes on is a flight late?"),
    "decide_before": (60, "how many minutes before departure must the list be there?"),
    "share": (0.1, "what share of the flights can be warned, as a number from 0 to 1?"),
    "figure": ("lift", "what does the letter compare: late flights on the list, and late flights among all"),
    "at_least": (3.0, "how many times as many?"),
    "worst_month": (2.5, "what must hold in each single month?"),
}
TASKS = ("classification", "regression", "clustering", "no model")
KEY = {
    "late or not": "classification",
    "minutes of delay": "regression",
    "kinds of weather": "clustering",
    "how many flights were cancelled": "no model",
    "groups of airports": "clustering",
    "which of five causes": "classification",
}


@exercise("15.1", "charter", "tasks")
def check_charter(exam: Examination, charter: Any, tasks: Any) -> None:
    """The letter is in the dictionary, number for number; the tasks have their kinds."""
    exam.require("The charter is a dictionary", isinstance(charter, dict), describe(charter))
    missing = [name for name in CHARTER if charter.get(name) in (None, ...)]
    exam.require("Each entry of the charter is filled", not missing, f"without a value: {', '.join(missing)}")
    for name, (true, question) in CHARTER.items():
        given = charter[name]
        if isinstance(true, str):
            right = isinstance(given, str) and given.strip().lower() == true
        else:
            right = _close(given, true)
        exam.expect(f'"{name}" matches the letter', right, repr(given) if right else f"{given!r}: {question}")
    exam.require("tasks is a dictionary", isinstance(tasks, dict), describe(tasks))
    absent = [name for name in KEY if tasks.get(name) in (None, ...)]
    exam.require("Each of the six questions has a word", not absent, f"without one: {', '.join(absent)}")
    said = {name: str(tasks[name]).strip().lower() for name in KEY}
    unknown = [name for name in KEY if said[name] not in TASKS]
    exam.require(f"Each word is one of {', '.join(TASKS)}", not unknown,
                 f"{unknown[0]}: {tasks[unknown[0]]!r}" if unknown else "all are")  # fmt: skip
    wrong = [name for name in KEY if said[name] != KEY[name]]
    exam.expect("Each question has the right kind of task", not wrong,
                f"look again: {wrong[0]}" if wrong else "all have")  # fmt: skip


def _close(given: Any, true: float) -> bool:
    try:
        return not isinstance(given, bool) and abs(float(given) - true) < 1e-9
    except (TypeError, ValueError):
        return False


# No cluster needed: the gate, drift, and what a fallback copies.


Criteria = list[dict[str, Any]]


def true_reasons(criteria: Criteria, figures: dict[str, Any]) -> list[str]:
    """Return the names of the criteria that are not met, in their order."""
    failed = []
    for one in criteria:
        value = figures.get(one["figure"])
        met = value is not None and not np.isnan(value)
        met = met and value >= one.get("at_least", -np.inf) and value <= one.get("at_most", np.inf)
        if not met:
            failed.append(one["figure"])
    return failed


@exercise("15.6", "gate")
def check_gate(exam: Examination, gate: Any) -> None:
    """Forty hidden projects: both bounds, exact ones, 0, figures that are missing or not a number."""
    for place in range(40):
        criteria, figures = _KNOWN[place] if place < len(_KNOWN) else _project(exam.rng, all_met=place % 3 == 0)
        result = exam.call(gate, [dict(one) for one in criteria], dict(figures))
        word, reasons = several(exam, result, "decision", "reasons")
        true = true_reasons(criteria, figures)
        exam.require('The decision is "go" or "go back"', word in ("go", "go back"), repr(word))
        right_type = isinstance(reasons, (list, tuple)) and all(isinstance(one, str) for one in reasons)
        exam.require("The reasons are a list of names of figures", right_type, describe(reasons))
        if not true:
            exam.expect("If all criteria are met, even exactly, it returns go, without a reason",
                        word == "go" and not list(reasons),
                        f"{word!r}, {list(reasons)} with {', '.join(_asked(criteria, figures))}")  # fmt: skip
            continue
        broken = next(one for one in criteria if one["figure"] == true[0])
        value = figures.get(true[0])
        how = "is not there" if value is None else "is not a number" if np.isnan(value) else "is outside its bounds"
        exam.expect(f"A figure that {how} is a reason to go back", word == "go back" and true[0] in reasons,
                    f"{word!r} with {true[0]} = {value} for {broken}")  # fmt: skip
        exam.expect("The reasons are all unmet criteria, in order, and no others",
                    list(reasons) == true, f"{list(reasons)} instead of {true}")  # fmt: skip
        if not exam.passed:
            return


_KNOWN: list[tuple[Criteria, dict[str, Any]]] = [
    ([{"figure": "missing share", "at_most": 0.1}], {"missing share": 0.2, "lift": 3.0}),
    ([{"figure": "seconds", "at_most": 60.0}], {"lift": 3.0}),
    ([{"figure": "lift", "at_least": 3.0}], {"lift": 2.99}),
    ([{"figure": "gain", "at_least": 0.0}], {"gain": -0.5}),
    ([{"figure": "failures", "at_most": 0}], {"failures": 1}),
    ([{"figure": "lift", "at_least": 3.0}, {"figure": "seconds", "at_most": 60.0}],
     {"lift": float("nan"), "seconds": float("nan")}),
    ([{"figure": "stability", "at_least": 0.5, "at_most": 2.3}, {"figure": "lift", "at_least": 3.0, "at_most": 9.0}],
     {"stability": 2.4, "lift": 2.9}),
    ([{"figure": "gain", "at_least": 0.0}], {"gain": 0.0}),
    ([{"figure": "failures", "at_most": 0}], {"failures": 0}),
    ([{"figure": "lift", "at_least": 3.0}], {"lift": float(np.nextafter(3.0, 0.0))}),
    ([{"figure": "seconds", "at_most": 60.0}], {"seconds": float(np.nextafter(60.0, 61.0))}),
]  # fmt: skip
"""One of each kind, whatever chance brings: 0 is a figure like any other, and outside by a hair is outside."""


def _asked(criteria: Criteria, figures: dict[str, Any]) -> list[str]:
    return [f"{name} = {figures.get(name)}" for name in (one["figure"] for one in criteria)]


def _project(rng: np.random.Generator, *, all_met: bool) -> tuple[Criteria, dict[str, Any]]:
    names = [str(name) for name in rng.permutation(["lift", "worst month", "missing share", "seconds", "stability"])]
    criteria, figures = [], {}
    for name in names[: int(rng.integers(1, 6))]:
        bound, other = (float(value) for value in np.sort(np.round(rng.uniform(0.5, 5, 2), 2)))
        one: dict[str, Any] = {"figure": name}
        kind = int(rng.integers(3))
        if kind != 1:
            one["at_least"] = bound
        if kind != 0:
            one["at_most"] = other
        low, high = one.get("at_least", bound - 2), one.get("at_most", other + 2)
        inside = float(rng.choice([low, high, (low + high) / 2]))
        outside = [low - 0.01 if "at_least" in one else None, high + 0.01 if "at_most" in one else None,
                   float("nan"), "missing"]  # fmt: skip
        value = inside if all_met or rng.random() < 0.6 else outside[int(rng.choice([0, 1, 2, 3]))]
        if value != "missing":
            figures[name] = inside if value is None else value
        criteria.append(one)
    figures["not asked for"] = -1.0
    return criteria, figures


def true_psi(reference: Floats, current: Floats, bins: int) -> float:
    """Return the population stability index; missing values have their own bin."""
    edges = np.unique(np.quantile(reference[~np.isnan(reference)], np.arange(1, bins) / bins))

    def shares(values: Floats) -> Floats:
        there = values[~np.isnan(values)]
        counts = np.bincount(np.searchsorted(edges, there, side="right"), minlength=len(edges) + 1)
        smoothed = np.append(counts, len(values) - len(there)) + 0.5
        return np.asarray(smoothed / smoothed.sum(), dtype=float)

    before, after = shares(reference), shares(current)
    return float(((after - before) * np.log(after / before)).sum())


def _rows_between_quantiles(rng: np.random.Generator) -> int:
    """Return a number of rows such that no quantile of 4 or 10 bins falls on one of them.

    On a row, rounding would decide: 3/10 and 3 · (1/10) differ by a bit, and with them the bin of that row.
    """
    return 10 * int(rng.integers(4, 40)) + int(rng.choice([2, 4, 8, 10]))


@exercise("15.9", "psi", "alarms")
def check_drift(exam: Examination, psi: Any, alarms: Any) -> None:
    """Thirty hidden features: shifted or not, with gaps, of few different values; then the names of the alarms."""
    for place in range(30):
        gaps = place % 5 in (2, 3)
        reference = exam.rng.normal(10, 3, _rows_between_quantiles(exam.rng) + gaps)
        current = exam.rng.normal(10 + (place % 4) * 1.5, 3, int(exam.rng.integers(20, 300)))
        if place % 3 == 1:  # mostly 0: several edges are the same
            reference, current = (np.where(exam.rng.random(len(one)) < 0.8, 0.0, one) for one in (reference, current))
        if gaps:
            current[exam.rng.random(len(current)) < 0.3] = np.nan
            reference[0] = np.nan
        bins = int(exam.rng.choice([4, 10]))
        found = number(exam, exam.call(psi, reference.copy(), current.copy(), bins), "The index")
        sentence = (
            "Missing values count as their own bin" if gaps
            else "Edges that are equal count once" if place % 3 == 1
            else "The index is Σ (now - before) · ln(now / before) over all bins"
        )  # fmt: skip
        exam.expect(sentence, abs(found - true_psi(reference, current, bins)) < 1e-6, f"{found:.5f}")
        if not exam.passed:
            return
    same = exam.rng.normal(size=500)
    found = number(exam, exam.call(psi, same, same.copy(), 10), "The index")
    exam.expect("Two equal columns have an index of 0", abs(found) < 1e-9, f"{found:.3g}")
    for _ in range(12):
        names = [str(one) for one in exam.rng.permutation(["temp", "humid", "now", "hour", "visib"])]
        indices = {name: float(np.round(exam.rng.choice([0.0, 0.1, 0.25, 0.4, 1.7, 3.5]) + 0.001 * place, 4))
                   for place, name in enumerate(names)}  # fmt: skip
        limit = float(exam.rng.choice([0.1, 0.25, 0.4, 1.7]))
        indices[names[0]] = limit
        given = exam.call(alarms, dict(indices), limit)
        true = sorted((name for name in indices if indices[name] > limit), key=lambda name: -indices[name])
        exam.require("alarms returns a list of names", isinstance(given, (list, tuple)), describe(given))
        exam.expect("Alarms are the features above the limit, largest index first", list(given) == true,
                    f"{list(given)} instead of {true}")  # fmt: skip


Calls = list[tuple[str, bool, int]]


def true_copies(calls: Calls, nbytes: int) -> tuple[int, int]:
    """Return the bytes that went to the host, and to the device."""
    on_device, size, to_host, to_device = True, nbytes, 0, 0
    for _, fast, result in calls:
        if fast != on_device:
            to_host, to_device = to_host + size * (not fast), to_device + size * fast
        on_device, size = fast, result
    return to_host, to_device


@exercise("15.11", "copies")
def check_copies(exam: Examination, copies: Any) -> None:
    """Forty hidden chains of calls, with results of any size."""
    names = ("abs", "clip", "diff", "apply", "rank", "cumsum", "rolling", "query")
    for place in range(40):
        length = int(exam.rng.integers(0, 9)) if place else 0
        calls: Calls = []
        for _ in range(length):
            name = str(exam.rng.choice(names))
            calls.append((name, bool(exam.rng.random() < 0.55), int(exam.rng.integers(1, 10**10))))
        if place == 1:
            calls = [("abs", True, 500), ("clip", True, 400)]
        if place == 2:
            calls = [("apply", False, 500), ("rank", False, 400)]
        nbytes = int(exam.rng.integers(1, 10**10))
        result = exam.call(copies, list(calls), nbytes)
        pair = list(result) if isinstance(result, np.ndarray) and result.ndim == 1 else result
        parts = several(exam, pair, "bytes to the host", "bytes to the device")
        found = tuple(number(exam, part, "Each of the two") for part in parts)
        true = true_copies(calls, nbytes)
        told = ", ".join(f"{name} {'on the device' if fast else 'falls back'}" for name, fast, _ in calls) or "no call"
        exam.expect("Without a call, nothing is copied" if not calls else
                    "Each call copies the object it is made on, at its current size",
                    found == true, f"{_pair(found)}{'' if found == true else f' instead of {_pair(true)}'}: "
                    f"{nbytes:,} bytes; {told}")  # fmt: skip
        if not exam.passed:
            return


def _pair(sizes: tuple[float, ...]) -> str:
    return f"({' and '.join(f'{size:,.0f}' for size in sizes)})"


# No cluster needed: what is known when, parts by date, and what an airport knows at a moment.


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
    exam.expect("Each column has the time at which it becomes known", not wrong,
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
        exam.expect("A part starts on its date, and ends before the next one", set(found) == true,
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

    from ..lesson_05_flights.checks import in_this_process

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
    """Twelve hidden days: flights and moments in no order, on the borders of the window, without any flight.

    One has flights how many and so late that sums need more digits than half precision has.
    """
    for place in range(12):
        large = place == 4
        count = 3_000 if large else int(exam.rng.integers(1, 60))
        scheduled = exam.rng.integers(300, 1400, count).astype(float)
        delay = np.round(exam.rng.exponential(200 if large else 20, count) - 8)
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
        exam.expect("If no flight left in the window, it is 0", np.allclose(found[far], 0, atol=1e-9),
                    f"{found[far][np.abs(found[far]).argmax()]:.3g} min at such a moment"
                    if len(far) else "0")  # fmt: skip
        exam.expect("It is the mean delay of flights that left after moment - window, up to and including the moment",
                    np.allclose(found, true, atol=1e-6),
                    f"largest difference {np.abs(found - true).max():.3g} min")  # fmt: skip
        if not exam.passed:
            return
    empty = exam.call(airport_now, np.array([]), np.array([]), np.array([10.0, 20.0]), 60.0)
    found = numbers(exam, empty, "The result without any flight", (2,))
    exam.expect("If no flight left in the window, it is 0", np.allclose(found, 0), f"{found}")
