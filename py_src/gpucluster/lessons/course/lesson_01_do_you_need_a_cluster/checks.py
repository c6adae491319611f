"""The checks of lesson 01."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...answers import number, several, wrong_choices
from ...checks import exercise
from ...examination import Examination, describe
from ...probes.transfers import Traffic

# Sizes: bytes of a table, and machines that hold them.


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
            f"The estimate is within 2 % of the whole table's size ({name})",
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
        exam.expect("Data that fits exactly needs no extra node", found == enough, f"{found}, and {enough} are enough")
        found = _count(exam, exam.call(nodes_needed, int(enough * size * usable) + 1, size, usable))
        exam.expect(
            "One more byte needs one more node", found == enough + 1, f"{found}, where {enough} hold all but one"
        )
    found = _count(exam, exam.call(nodes_needed, 100, 30))
    exam.expect(
        "Without `usable`, all of the memory may be filled", found == 4, f"{found} for 100 bytes on nodes of 30"
    )


def _count(exam: Examination, value: Any) -> int:
    found = number(exam, value, "The result")
    exam.require("It is a whole number", found == int(found), f"it is {found}")
    return int(found)


# Memory: bisection with few questions, and an answer that leaves the table on the workers.


@exercise("01.4", "largest_scale", "dask_answer")
def check_largest(exam: Examination, largest_scale: Any, dask_answer: Any) -> None:
    """The search finds the border with few questions; rows and mean are right, and the table stays where it is."""
    for highest in (1, 2, 8, int(exam.rng.integers(20, 100)), int(exam.rng.integers(500, 2000))):
        for border in {0, 1, highest, int(exam.rng.integers(0, highest + 1))}:
            _expect_found(exam, largest_scale, border, highest)
    _expect_answer(exam, dask_answer)


def _expect_found(exam: Examination, largest_scale: Any, border: int, highest: int) -> None:
    asked: list[Any] = []

    def survives(copies: int) -> bool:
        asked.append(copies)
        # Far more questions than needed: end a search that never stops.
        exam.require("It terminates", len(asked) <= 4 * highest + 20, f"{len(asked)} questions so far")
        return copies <= border

    found = exam.call(largest_scale, survives, highest)
    exam.expect(
        "It finds the largest number that survives, or 0",
        found == border,
        f"{found!r} when {border} of 1 … {highest} is the largest",
    )
    outside = [value for value in asked if not 1 <= value <= highest]
    exam.expect(
        "It tests only numbers from 1 to highest",
        not outside,
        f"it asked for {outside[:3]}" if outside else "it did",
    )
    allowed = math.ceil(math.log2(highest + 1)) + 1
    exam.expect(
        "It halves the remaining range with each call",
        len(asked) <= allowed,
        f"{len(asked)} questions for 1 … {highest}, at most {allowed} are needed",
    )


def _expect_answer(exam: Examination, dask_answer: Any) -> None:
    from gpucluster import datasets

    copies, shortest = int(exam.rng.integers(2, 4)), int(exam.rng.integers(200, 1500))
    columns = ["distance", "dep_delay"]
    base = datasets.flights(columns=columns, as_frame="pandas")
    base = base[base["distance"] > shortest]
    with exam.client.as_current():
        table = datasets.flights(3 * copies, columns=columns, copies=copies)
        table = table[table["distance"] > shortest]
        with Traffic(exam.client) as traffic:
            answer = exam.call(dask_answer, table)
    answer = several(exam, answer, "rows", "mean")
    lazy = [value for value in answer if hasattr(value, "compute")]
    exam.require("Both are computed, not only planned", not lazy, describe(lazy[0]) if lazy else "both are")
    rows, mean = (number(exam, value, "Each of the two") for value in answer)
    exam.expect(
        "The number of rows counts all copies",
        rows == copies * len(base),
        f"{rows:,.0f} for {copies} × {len(base):,}",
    )
    true = float(base["dep_delay"].mean())
    exam.expect(
        "The mean equals that of one copy", math.isclose(mean, true, rel_tol=1e-9), f"{mean:.6f}, one copy {true:.6f}"
    )
    size = copies * len(base) * 12
    exam.expect(
        "The table stays on the workers", traffic.bytes < size / 2,
        f"{traffic.bytes:,} bytes left the workers, the table has {size:,}",
    )  # fmt: skip


# Which tool: who was faster by the learner's own numbers, and what fits in ten cases?


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
    exam.expect("The rows are counted for this number of copies", right, f"{list(measured['rows'])}")
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
    "a": ("pandas", "it fits one process with plenty of working room"),
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
        "At least nine of the ten choices are good",
        len(_KEY) - len(wrong) >= _ENOUGH,
        f"{len(_KEY) - len(wrong)} of 10" + (f". Think again of {advice}" if wrong else ""),
    )
