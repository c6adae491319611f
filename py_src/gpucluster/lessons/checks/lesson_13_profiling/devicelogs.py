"""Lesson 13, no cluster needed: logs of ``nvidia-smi dmon`` as tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise
from ..answers import several

COLUMNS = {"pwr": "W", "gtemp": "C", "mtemp": "C", "sm": "%", "mem": "%", "enc": "%", "dec": "%", "mclk": "MHz",
           "pclk": "MHz", "fb": "MB", "bar1": "MB", "rxpci": "MB/s", "txpci": "MB/s"}  # fmt: skip
Row = list[float]


def random_log(rng: np.random.Generator) -> tuple[str, list[str], list[Row]]:
    """Return a log with some columns and devices, its names, and its figures with NaN for what was not measured."""
    others = [name for name in COLUMNS if name != "sm" and rng.random() < 0.6]
    names = ["gpu", *[str(name) for name in rng.permutation(["sm", *others])]]
    devices = sorted(int(one) for one in rng.choice(9, size=int(rng.integers(1, 4)), replace=False))
    silent = {device for device in devices if rng.random() < 0.25}
    lines: list[str] = []
    rows: list[Row] = []
    for sample in range(int(rng.integers(6, 14))):
        for device in devices:
            if len(rows) % 9 == 0:
                units = ["Idx", *(COLUMNS[name] for name in names[1:])]
                lines += [
                    "# " + " ".join(f"{name:>6}" for name in names),
                    "# " + " ".join(f"{one:>6}" for one in units),
                ]
            row = [float(device)]
            for name in names[1:]:
                missing = rng.random() < 0.15 or (device in silent and name == "sm")
                row.append(float("nan") if missing else float(rng.integers(0, 101)))
            rows.append(row)
            cells = ["-" if np.isnan(value) else f"{value:.0f}" for value in row]
            lines.append("  " + " ".join(f"{cell:>6}" for cell in cells))
        if sample == 3:
            lines.append("")
    return "\n".join(lines) + "\n", names, rows


def shares(names: list[str], rows: list[Row], limit: float) -> dict[int, float]:
    """Return the true shares."""
    place = names.index("sm")
    values: dict[int, list[float]] = {}
    for row in rows:
        if not np.isnan(row[place]):
            values.setdefault(int(row[0]), []).append(row[place])
    return {device: float(np.mean([value < limit for value in one])) for device, one in values.items()}


@exercise("13.3", "read_dmon", "share_below")
def check_log(exam: Examination, read_dmon: Any, share_below: Any) -> None:
    """Tables of 20 random logs are right, and the shares of their devices."""
    import pandas as pd

    for place in range(20):
        text, names, rows = random_log(exam.rng)
        table, units = several(exam, exam.call(read_dmon, text), "the table", "the units")
        exam.require("The table is a DataFrame of pandas", isinstance(table, pd.DataFrame), describe(table))
        exam.require("There is one column for each name of the header, in its order", list(table.columns) == names,
                     f"{list(table.columns)[:8]}")  # fmt: skip
        exam.require("There is one row for each line of figures, and none for headers and empty lines",
                     len(table) == len(rows), f"{len(table)} rows instead of {len(rows)}")  # fmt: skip
        types = {str(kind) for kind in table.dtypes}
        exam.require("All columns are of type float", types == {"float64"}, ", ".join(sorted(types)))
        same = np.array_equal(table.to_numpy(), np.array(rows), equal_nan=True)
        exam.expect("The figures are those of the log, and NaN where it has -", same,
                    _difference(table.to_numpy(), np.array(rows)))  # fmt: skip
        said = dict(units) if isinstance(units, dict) else {}
        wanted = {"gpu": "Idx", **{name: COLUMNS[name] for name in names[1:]}}
        exam.expect("The units are a dictionary from each name to its unit", said == wanted,
                    f"{said}"[:120] if said else describe(units))  # fmt: skip
        _expect_shares(exam, share_below, names, rows, [37, 50, 80, 20][place % 4])
        if not exam.passed:
            return


def _expect_shares(exam: Examination, share_below: Any, names: list[str], rows: list[Row], limit: float) -> None:
    import pandas as pd

    place = names.index("sm")
    rows = [list(row) for row in rows]
    rows[0][place] = limit  # one sample just at the limit is not below it
    true = shares(names, rows, limit)
    given = exam.call(share_below, pd.DataFrame(rows, columns=names), limit)
    exam.require("The shares are a dictionary", isinstance(given, dict), describe(given))
    whole = all(isinstance(device, (int, np.integer)) for device in given)
    exam.expect("Its keys are the numbers of devices, as int", whole, f"{list(given)}")
    exam.expect("A device whose sm was never measured is not in it, all others are",
                {float(device) for device in given} == {float(device) for device in true},
                f"{sorted(given)} instead of {sorted(true)}")  # fmt: skip
    right = given.keys() == true.keys() and all(abs(float(given[one]) - true[one]) < 1e-9 for one in true)
    exam.expect("The share counts measured samples only, of each device by itself, below and not at the limit", right,
                ", ".join(f"device {one}: {float(value):.3f}" for one, value in given.items()))  # fmt: skip


def _difference(found: Any, true: Any) -> str:
    if np.isnan(found).sum() != np.isnan(true).sum():
        return f"{np.isnan(found).sum()} NaN instead of {np.isnan(true).sum()}"
    return "the same" if np.array_equal(found, true, equal_nan=True) else "other figures"
