"""Lesson 05, looking at the tables: audit, kinds of data, and the first aggregation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...examination import Examination, describe
from .. import exercise
from .hidden import computed, in_parts, in_this_process, lazily, real, sample

KINDS = {
    "carrier": {"nominal"},
    "flight": {"nominal"},
    "tailnum": {"nominal"},
    "month": {"ordinal"},
    "dep_delay": {"ratio", "interval"},  # a time between two moments; one may stress that it can be negative
    "distance": {"ratio"},
    "time_hour": {"time"},
}
MISSING = {"dep_time": 8255, "arr_time": 8713, "air_time": 9430, "tailnum": 2512}
MEANS = {"EWR": 15.1080, "JFK": 12.1122, "LGA": 10.3469}


@exercise("05.1", "audit", "kinds")
def check_audit(exam: Examination, audit: Any, kinds: Any) -> None:
    """Rows, missing values and duplicates are counted over all partitions; each column has the right kind."""
    for count in (1, 4):
        table = _with_faults(exam)
        key = ["origin", "time_hour"]
        _expect_audit(exam, audit, in_parts(exam.rng, table, count), table, key)
    columns = [*MISSING, "carrier"]
    found = _audit(exam, audit, in_parts(exam.rng, real("flights")[columns], 3), ["tailnum"])
    exam.expect(
        "In the real year, as many values are missing as were counted by other means",
        all(found["nulls"].get(name) == number for name, number in MISSING.items()),
        ", ".join(f"{name} {found['nulls'].get(name, 0):,}" for name in MISSING),
    )
    _expect_kinds(exam, kinds)


def _with_faults(exam: Examination) -> Any:
    """Weather with rows that occur again elsewhere in the table, some of them twice, and some columns without a gap.

    In some keys a value is missing; one of these keys is there twice.
    """
    table = sample(exam.rng, "weather", 200, ["origin", "time_hour", "temp", "wind_dir", "wind_gust", "pressure"])
    import pandas as pd

    order = exam.rng.permutation(200)
    again = table.iloc[order[: int(exam.rng.integers(14, 25))]]
    once = table.iloc[order[100:]].drop_duplicates("time_hour").index[:6]
    table.loc[once, "origin"] = None
    twice = table.loc[once[:1]]
    mixed = pd.concat([table, again, again.iloc[: int(exam.rng.integers(3, 6))], twice]).reset_index(drop=True)
    mixed.loc[exam.rng.choice(len(mixed), size=7, replace=False), "temp"] = np.nan
    return mixed.iloc[exam.rng.permutation(len(mixed))].reset_index(drop=True)


def _audit(exam: Examination, audit: Any, table: Any, key: list[str]) -> dict[str, Any]:
    with in_this_process():
        found = exam.call(audit, table, key)
    names = {"rows", "nulls", "duplicates"}
    is_dict = isinstance(found, dict) and names <= set(found)
    exam.require("It returns a dictionary with rows, nulls and duplicates", is_dict, describe(found))
    nulls = dict(found["nulls"]) if hasattr(found["nulls"], "items") else None
    exam.require("nulls is a dictionary {column: number}", nulls is not None, describe(found["nulls"]))
    plain = all(np.ndim(found[name]) == 0 and not hasattr(found[name], "dask") for name in ("rows", "duplicates"))
    exam.require(
        "rows and duplicates are numbers", plain, f"{describe(found['rows'])}, {describe(found['duplicates'])}"
    )
    return {"rows": int(found["rows"]), "nulls": nulls, "duplicates": int(found["duplicates"])}


def _expect_audit(exam: Examination, audit: Any, lazy: Any, table: Any, key: list[str]) -> None:
    found = _audit(exam, audit, lazy, key)
    where = f"with {counted(lazy.npartitions, 'partition')}"
    exam.expect("rows is the number of all rows", found["rows"] == len(table), f"{found['rows']} {where}")
    missing = {name: int(number) for name, number in table.isna().sum().items() if number}
    same = {name: number for name, number in found["nulls"].items() if number} == missing
    exam.expect("nulls counts the missing values of each column over all partitions", same,
                f"{'the same' if same else 'other numbers'} {where}")  # fmt: skip
    exam.expect(
        "nulls names only columns in which something is missing",
        all(found["nulls"].values()),
        f"{len(found['nulls'])} columns, {len(missing)} have gaps",
    )
    again = int(table.duplicated(key).sum())
    exam.expect(
        "duplicates counts the rows whose key was there before, also in another partition",
        found["duplicates"] == again,
        f"{found['duplicates']} {where}" + ("" if found["duplicates"] == again else ", which is not right"),
    )


def _expect_kinds(exam: Examination, kinds: Any) -> None:
    is_dict = isinstance(kinds, dict)
    exam.require("kinds is a dictionary {column: kind}", is_dict, describe(kinds))
    exam.require("kinds names the seven columns", set(kinds) == set(KINDS), f"{len(set(kinds) & set(KINDS))} of them")
    words = {"nominal", "ordinal", "interval", "ratio", "time"}
    odd = sorted({str(kind) for kind in kinds.values()} - words)
    known = "Each kind is one of nominal, ordinal, interval, ratio, time"
    exam.require(known, not odd, f"not a kind: {', '.join(odd)[:60]}")
    right = sum(kinds[name] in allowed for name, allowed in KINDS.items())
    exam.expect("Each column has its kind: what may one do with its values?", right == 7, f"{right} of 7")


@exercise("05.3", "mean_delay")
def check_mean_delay(exam: Examination, mean_delay: Any) -> None:
    """The mean per origin is right for unequal partitions with gaps, is lazy, and moves no rows."""
    for count in (1, 5):
        table = sample(exam.rng, "flights", 400, ["origin", "dep_delay", "month", "distance"])
        # Late airports are in the long partitions, so that a mean of means is far away.
        table = table.sort_values(["dep_delay", "origin"], kind="stable", na_position="first").reset_index(drop=True)
        table.loc[exam.rng.choice(400, 25, replace=False), "dep_delay"] = np.nan
        lazy = lazily(exam, mean_delay, in_parts(exam.rng, table, count))
        _expect_means(exam, computed(exam, lazy), table, count)
        from ...probes.transfers import movement

        joined = any("Repartition" in type(node).__name__ for node in lazy.expr.walk())
        moves = "rows of other partitions are put together first" if joined else movement(lazy)
        exam.expect(
            "No rows travel: partitions stay as they are, no shuffle", moves in {"none", "tree"}, f"plan: {moves}"
        )
    from .... import datasets

    year = computed(exam, lazily(exam, mean_delay, datasets.flights(columns=["origin", "dep_delay"])))
    exam.expect(
        "In the real year, the means are those that were computed by other means (± 0.0001)",
        all(abs(float(year.get(name, np.nan)) - mean) < 1e-4 for name, mean in MEANS.items()),
        ", ".join(f"{name} {float(year.get(name, np.nan)):.4f}" for name in MEANS),
    )


def _expect_means(exam: Examination, found: Any, table: Any, count: int) -> None:
    is_series = hasattr(found, "index") and getattr(found, "ndim", 0) == 1
    exam.require("It is a column: one mean per origin", is_series, describe(found))
    true = table.groupby("origin")["dep_delay"].mean()
    exam.require("There is one mean for each origin", set(found.index) == set(true.index),
                 f"{len(found)} rows for {len(true)} origins")  # fmt: skip
    gap = float((found.astype(float) - true).abs().max())
    exam.expect(
        "Each flight that departed counts once, whatever its partition",
        gap < 1e-9,
        f"largest difference {gap:.3g} minutes with {counted(count, 'partition')}",
    )
