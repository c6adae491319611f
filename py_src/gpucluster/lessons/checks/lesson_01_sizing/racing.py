"""Lesson 01, the race: who won, and does the conclusion follow from the learner's own numbers?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise

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
