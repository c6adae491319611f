"""Lesson 01, which tool: who was faster by the learner's own numbers, and what fits in ten cases?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise
from ..answers import wrong_choices

_ROWS = 336_776
_MARGIN = 1.1
_NAMES = {"pandas", "Dask", "equal"}
# Clear cases, and close ones on both sides, none right on the border. At 1.105, the slower one takes 10.5 % more time
# than the faster one, but the faster one only 9.5 % less than the slower one.
_SLOWER = (1.05, 1.08, 1.105, 1.12, 1.15, 4.0)
_FACTORS = [*_SLOWER, *(1 / factor for factor in _SLOWER)]


def true_winner(pandas: float, dask: float) -> str:
    """Return who won by the rule of the exercise."""
    if max(pandas, dask) < _MARGIN * min(pandas, dask):
        return "equal"
    return "pandas" if pandas < dask else "Dask"


@exercise("01.3", "measured", "conclude")
def check_conclude(exam: Examination, measured: Any, conclude: Any) -> None:
    """The conclusion follows from the table: from random ones, and from the learner's own."""
    _expect_measured(exam, measured)
    for n_rows in (1, 3, len(_FACTORS)):
        table = _random_times(exam.rng, n_rows)
        _expect_winners(exam, conclude, table, "a random table")
    _expect_winners(exam, conclude, measured.copy(), "your own table")


def _expect_measured(exam: Examination, measured: Any) -> None:
    import pandas as pd

    exam.require("measured is a pandas table", isinstance(measured, pd.DataFrame), describe(measured))
    missing = {"copies", "rows", "pandas", "Dask"} - set(measured.columns)
    exam.require(
        "It has the columns copies, rows, pandas and Dask", not missing, f"without {', '.join(sorted(missing))}"
    )
    sizes = sorted(measured["copies"])
    exam.require("It has one row for 1, 4 and 16 copies", sizes == [1, 4, 16], f"copies {sizes}")
    right = (measured["rows"] == measured["copies"] * _ROWS).all()
    exam.expect("The rows are those of so many copies", right, f"{list(measured['rows'])}")
    times = measured[["pandas", "Dask"]].to_numpy(dtype=float)
    real = bool(np.isfinite(times).all() and (times > 0).all())
    exam.require("All six times were measured", real, f"{int((~(times > 0)).sum())} are not positive")


def _random_times(rng: np.random.Generator, n_rows: int) -> Any:
    import pandas as pd

    copies = sorted(int(value) for value in rng.choice(np.arange(1, 200), size=n_rows, replace=False))
    pandas = rng.uniform(0.05, 20, n_rows)
    factors = rng.choice(_FACTORS, size=n_rows, replace=False)
    # Times of a millisecond: who rounds them before comparing finds equal ones.
    for factor in (1.12, 1 / 1.12):
        pandas[factors == factor] = rng.uniform(0.00115, 0.0012)
    return pd.DataFrame(
        {"copies": copies, "rows": np.array(copies) * _ROWS, "pandas": pandas, "Dask": pandas * factors}
    )


def _expect_winners(exam: Examination, conclude: Any, table: Any, name: str) -> None:
    found = exam.call(conclude, table.copy())
    exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
    copies = [int(value) for value in table["copies"]]
    exam.require(
        "There is one entry for each number of copies", sorted(found) == copies, f"{sorted(found)}, not {copies}"
    )
    unknown = [value for value in found.values() if value not in _NAMES]
    exam.require('Each is "pandas", "Dask" or "equal"', not unknown, f"one is {unknown[:1]}")
    for row in table.to_dict("records"):
        winner = found[row["copies"]]
        exam.expect(
            f"The winner follows from the two times ({name})",
            winner == true_winner(row["pandas"], row["Dask"]),
            f"{winner!r} for pandas {row['pandas']:.3f} s and Dask {row['Dask']:.3f} s",
        )


_TOOLS = ("pandas", "one device", "spill", "dask", "spark")
_KEY = {
    "a": ("pandas", "it fits one process with much working room"),
    "b": ("pandas", "the table is tiny, and each question must be quick"),
    "c": ("one device", "compare 30 GB, and twice as much to work with, with the memory of the device"),
    "d": (
        "spill",
        "pandas has no working room, it is only a little too large for the device, and once a month may be slow",
    ),
    "e": ("Dask", "it is several times larger than one device, and there are more devices"),
    "f": ("Spark", "think of what the people there have and know"),
    "g": ("Dask", "it is larger than the memory of the laptop, and there is no accelerator"),
    "h": ("Dask", "there is work for many machines, and it is Python"),
    "i": ("one device", "compare 10 GB, and some room to work, with the memory of the device"),
    "j": ("Dask", "memory is not the problem: 31 of 32 cores are idle"),
}
_ENOUGH = 9


@exercise("01.5", "choices")
def check_choices(exam: Examination, choices: Any) -> None:
    """Nine of the ten choices agree with the key."""
    wrong = wrong_choices(exam, choices, _KEY, _TOOLS, each="choice", name="choices")
    advice = "; ".join(f"{case}: {_KEY[case][1]}" for case in wrong[:2])
    exam.expect(
        "Nine of the ten choices are good ones",
        len(_KEY) - len(wrong) >= _ENOUGH,
        f"{len(_KEY) - len(wrong)} of 10" + (f". Think again of {advice}" if wrong else ""),
    )
