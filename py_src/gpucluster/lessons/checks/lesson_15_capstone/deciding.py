"""Lesson 15, no cluster needed: the gate, drift, and what a fallback copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise
from ..answers import Floats, number, several

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
            exam.expect("Where all criteria are met, exactly on the bound too, it says go, without a reason",
                        word == "go" and not list(reasons),
                        f"{word!r}, {list(reasons)} with {', '.join(_asked(criteria, figures))}")  # fmt: skip
            continue
        broken = next(one for one in criteria if one["figure"] == true[0])
        value = figures.get(true[0])
        how = "is not there" if value is None else "is not a number" if np.isnan(value) else "is outside its bounds"
        exam.expect(f"A figure that {how} is a reason to go back", word == "go back" and true[0] in reasons,
                    f"{word!r} with {true[0]} = {value} for {broken}")  # fmt: skip
        exam.expect("The reasons are all criteria that are not met, in their order, and no others",
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
    """Return the population stability index; what is missing has a bin of its own."""
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
            "What is missing counts as a bin of its own" if gaps
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
        exam.expect("Alarms are the features above the limit, the largest index first", list(given) == true,
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
        exam.expect("Without any call, nothing is copied" if not calls else
                    "What is copied is the object that a call is made on, as large as it is then",
                    found == true, f"{_pair(found)}{'' if found == true else f' instead of {_pair(true)}'}: "
                    f"{nbytes:,} bytes; {told}")  # fmt: skip
        if not exam.passed:
            return


def _pair(sizes: tuple[float, ...]) -> str:
    return f"({' and '.join(f'{size:,.0f}' for size in sizes)})"
