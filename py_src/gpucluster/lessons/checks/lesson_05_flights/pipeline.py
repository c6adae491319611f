"""Lesson 05, the pipeline that stays where the data is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...material.conversion import as_pandas
from ...probes.collecting import collecting_calls
from ...probes.transfers import Traffic
from .. import exercise
from .hidden import computed, in_parts, lazily, real, sample

LIMIT = 1_000_000


@exercise("05.12", "pipeline")
def check_pipeline(exam: Examination, pipeline: Any) -> None:
    """Nothing is collected on the way, the result is that of pandas, and only the result travels."""
    exam.require("It is a function", callable(pipeline), describe(pipeline))
    _expect_clean(exam, pipeline)
    _expect_little_traffic(exam, pipeline)
    for count in (1, 4):
        flights = sample(exam.rng, "flights", 1500)
        hours = real("weather").merge(flights[["origin", "time_hour"]].drop_duplicates(), on=["origin", "time_hour"])
        hours = hours.sample(frac=0.9, random_state=exam.rng).reset_index(drop=True)
        hours["visib"] = exam.rng.choice([0.5, 2.0, 3.0, 5.0, 10.0], len(hours))
        lazy = lazily(exam, pipeline, in_parts(exam.rng, flights, count), in_parts(exam.rng, hours, 1))
        _expect_result(exam, computed(exam, lazy), expected(flights, hours))


def expected(flights: Any, weather: Any) -> Any:
    """Compute the result with pandas."""
    departed = flights[flights["dep_delay"].notna()]
    joined = departed.merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"])
    joined["fog"] = joined["visib"] < 3
    joined["score"] = (joined["dep_delay"] - joined["dep_delay"].mean()) / joined["dep_delay"].std()
    return joined.groupby(["origin", "fog"])["score"].agg(["count", "mean"])


def _expect_clean(exam: Examination, pipeline: Any) -> None:
    try:
        calls = collecting_calls(pipeline)
    except (OSError, TypeError, SyntaxError):
        return  # its source is not at hand; the bytes tell the same
    exam.expect(
        "Its code collects nothing on the way: no compute, to_pandas or the like",
        not calls,
        "; ".join(f"line {line}: {code[:50]}" for line, code in calls[:3]) or "nothing of the kind",
    )


def _expect_little_traffic(exam: Examination, pipeline: Any) -> None:
    from .... import datasets

    with exam.client.as_current(), Traffic(exam.client) as traffic:
        exam.call(as_pandas, exam.call(pipeline, datasets.flights(), datasets.weather()))
    exam.expect(
        "With the real year, less than 1 MB travels to the notebook",
        traffic.bytes < LIMIT,
        f"{traffic.bytes:,} bytes",
    )


def _expect_result(exam: Examination, found: Any, true: Any) -> None:
    names = [str(name) for name in getattr(found, "columns", [])]
    exam.require("The result has the columns count and mean", set(names) == {"count", "mean"},
                 ", ".join(names)[:60] or describe(found))  # fmt: skip
    exam.require("It has a row for each origin and fog", set(found.index) == set(true.index),
                 f"{len(found)} rows, index {found.index.names}")  # fmt: skip
    found = found.reindex(true.index)
    right = (found["count"] == true["count"]).sum()
    exam.expect(
        "count is the number of departed flights with known weather", right == len(true), f"{right} of {len(true)} rows"
    )
    gap = float(np.abs(found["mean"] - true["mean"]).max())
    exam.expect("mean is the mean of the normalised delay", gap < 1e-6, f"largest difference {gap:.3g}")
