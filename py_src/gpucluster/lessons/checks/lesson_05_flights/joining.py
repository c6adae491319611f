"""Lesson 05, joins that keep every flight: with the weather, the planes and the airports."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...material.conversion import as_pandas
from .. import exercise
from .hidden import computed, expect_same_rows, in_parts, in_this_process, joined_lazily, real, require_columns, sample

CLOCK_CHANGE = (2013, 11, 3, 1)
WITHOUT_WEATHER, AFTER_THE_END = 1556, 932


def _order(table: Any) -> Any:
    return table.sort_values(["time_hour", "carrier", "flight", "origin"]).reset_index(drop=True)


def _expect_column(exam: Examination, sentence: str, found: Any, true: Any) -> None:
    """Compare a numeric column, gaps included."""
    try:
        same = np.isclose(found.astype(float), true.astype(float), equal_nan=True)
    except (TypeError, ValueError):
        exam.require(f"{found.name} holds numbers", False, f"type {found.dtype}")
        return
    exam.expect(sentence, same.all(), f"right for {same.sum()} of {len(true)} flights")


def _expect_flag(exam: Examination, sentence: str, found: Any, true: Any) -> None:
    """Compare a column of yes and no, which must not have gaps."""
    full = not found.isna().any()
    exam.require(f"{found.name} is True or False for each flight", full and set(found.unique()) <= {True, False},
                 f"values: {', '.join(map(str, found.unique()[:4]))}")  # fmt: skip
    same = found.astype(bool) == true
    exam.expect(sentence, same.all(), f"right for {same.sum()} of {len(true)} flights")


@exercise("05.4", "join_weather", "no_weather")
def check_weather(exam: Examination, join_weather: Any, no_weather: Any) -> None:
    """Each flight gets the weather of its hour, once; a gap in the weather is not a missing hour."""
    for count, parts in ((1, 1), (4, 1), (3, 2)):
        flights, weather = _hidden_weather(exam)
        lazy = joined_lazily(exam, join_weather, in_parts(exam.rng, flights, count), in_parts(exam.rng, weather, parts))
        joined = computed(exam, lazy)
        require_columns(exam, joined, ["temp", "wind_speed", "visib", "has_weather"])
        if not expect_same_rows(exam, joined, flights):
            return
        joined, keyed = _order(joined), weather.set_index(["origin", "time_hour"])
        hours = list(zip(_order(flights)["origin"], _order(flights)["time_hour"], strict=True))
        for name in ("temp", "wind_speed", "visib"):
            _expect_column(exam, f"{name} is that of the airport and hour of departure",
                           joined[name], keyed[name].reindex(hours).reset_index(drop=True))  # fmt: skip
        known = np.array([hour in keyed.index for hour in hours])
        _expect_flag(exam, "has_weather says whether there is a row for that hour", joined["has_weather"], known)
    _expect_counts(exam, no_weather)


def _hidden_weather(exam: Examination) -> tuple[Any, Any]:
    """Flights and weather in which some hours are missing, some temperatures, and one clock hour is there twice."""
    import pandas as pd

    weather = real("weather")
    flights = sample(exam.rng, "flights", 260)
    clock = dict(zip(("year", "month", "day", "hour"), CLOCK_CHANGE, strict=True))
    double = weather
    for name, value in clock.items():
        double = double[double[name] == value]
    late = sample(exam.rng, "flights", 12).assign(**clock)
    late["origin"] = exam.rng.choice(["EWR", "JFK", "LGA"], 12)
    late["time_hour"] = exam.rng.choice(double["time_hour"].unique(), 12)
    late["time_hour"] = pd.to_datetime(late["time_hour"], utc=True).astype(flights["time_hour"].dtype)
    flights = pd.concat([flights, late.astype(flights.dtypes.to_dict())]).reset_index(drop=True)
    flights["flight"] = np.arange(len(flights), dtype="int32")  # so that rows can be told apart
    used = weather.merge(flights[["origin", "time_hour"]].drop_duplicates(), on=["origin", "time_hour"])
    kept = used.drop(used.sample(12, random_state=exam.rng).index)
    measured = ["temp", "wind_speed", "visib"]
    for names, rows in (*(([name], 9) for name in measured), (measured, 4)):
        kept.loc[kept.sample(rows, random_state=exam.rng).index, names] = np.nan
    kept = pd.concat([kept, double]).drop_duplicates(["origin", "time_hour"])
    return flights, kept.sample(frac=1, random_state=exam.rng).reset_index(drop=True)


def _expect_counts(exam: Examination, counts: Any) -> None:
    names = {"flights", "after_the_end"}
    is_dict = isinstance(counts, dict) and names <= set(counts)
    exam.require("no_weather is a dictionary with flights and after_the_end", is_dict, describe(counts))
    for name, true, sentence in (
        (
            "flights",
            WITHOUT_WEATHER,
            "no_weather['flights'] is the number of flights in the year whose hour has no row",
        ),
        ("after_the_end", AFTER_THE_END, "no_weather['after_the_end'] is how many of them left after the last hour"),
    ):
        value = counts[name]
        exam.expect(sentence, np.ndim(value) == 0 and value == true, f"{value!r:.40}")


@exercise("05.5", "join_planes", "unknown_by_carrier")
def check_planes(exam: Examination, join_planes: Any, unknown_by_carrier: Any) -> None:
    """No name collides, a plane without a year is known all the same, and gaps are counted per airline."""
    for count, parts in ((1, 1), (4, 2)):
        flights, planes = _hidden_planes(exam)
        lazy = joined_lazily(exam, join_planes, in_parts(exam.rng, flights, count), in_parts(exam.rng, planes, parts))
        joined = computed(exam, lazy)
        require_columns(exam, joined, ["year", "built", "seats", "known_plane"])
        if not expect_same_rows(exam, joined, flights):
            return
        joined, before = _order(joined), _order(flights)
        partner = planes.set_index("tailnum").reindex(before["tailnum"].to_list())
        _expect_column(
            exam, "built is the year the plane was built", joined["built"], partner["year"].reset_index(drop=True)
        )
        _expect_column(exam, "seats is that of the plane", joined["seats"], partner["seats"].reset_index(drop=True))
        known = before["tailnum"].isin(planes["tailnum"]).to_numpy()
        _expect_flag(exam, "known_plane says whether the plane is in the table", joined["known_plane"], known)
        with in_this_process():
            found = exam.call(as_pandas, exam.call(unknown_by_carrier, lazy))
        true = before.assign(unknown=~known).groupby("carrier")["unknown"].sum()
        _expect_table(
            exam, "unknown_by_carrier counts, for each airline, the flights whose plane is unknown", found, true
        )


def _hidden_planes(exam: Examination) -> tuple[Any, Any]:
    flights = sample(exam.rng, "flights", 300)
    flights["flight"] = np.arange(300, dtype="int32")
    flights.loc[exam.rng.choice(300, 10, replace=False), "tailnum"] = None
    used = real("planes")[real("planes")["tailnum"].isin(flights["tailnum"])]
    planes = used.sample(frac=0.8, random_state=exam.rng).reset_index(drop=True)
    planes.loc[exam.rng.choice(len(planes), 15, replace=False), "year"] = np.nan
    return flights, planes


def _expect_table(exam: Examination, sentence: str, found: Any, true: Any) -> None:
    is_series = hasattr(found, "index") and getattr(found, "ndim", 0) == 1
    exam.require("It is a column with one number per name", is_series, describe(found))
    named = {str(name): float(number) for name, number in found.items()}
    right = sum(named.get(name) == number for name, number in true.items())
    extra = len(set(named) - set(true.index))
    observed = f"right for {right} of {len(true)}" + (f", and {extra} names too many" if extra else "")
    exam.expect(sentence, right == len(true) and not extra, observed)


@exercise("05.6", "join_airports", "unknown_destinations")
def check_airports(exam: Examination, join_airports: Any, unknown_destinations: Any) -> None:
    """Flights to unknown airports stay, and are reported by name."""
    for count in (1, 4):
        flights = sample(exam.rng, "flights", 300)
        flights["flight"] = np.arange(300, dtype="int32")
        airports = real("airports")
        lost = set(exam.rng.choice(flights["dest"].unique(), size=int(exam.rng.integers(2, 6)), replace=False))
        airports = airports[~airports["faa"].isin(lost)]
        lazy = joined_lazily(exam, join_airports, in_parts(exam.rng, flights, count), in_parts(exam.rng, airports, 1))
        joined = computed(exam, lazy)
        require_columns(exam, joined, ["dest_name", "lat", "lon"])
        if not expect_same_rows(exam, joined, flights):
            return
        joined, before = _order(joined), _order(flights)
        partner = airports.set_index("faa").reindex(before["dest"]).reset_index(drop=True)
        for name in ("lat", "lon"):
            _expect_column(exam, f"{name} is that of the destination", joined[name], partner[name])
        same = (joined["dest_name"].fillna("?") == partner["name"].fillna("?")).sum()
        exam.expect(
            "dest_name is the name of the destination", same == len(before), f"right for {same} of {len(before)}"
        )
        with in_this_process():
            found = exam.call(as_pandas, exam.call(unknown_destinations, lazy))
        true = before.loc[~before["dest"].isin(airports["faa"]), "dest"].value_counts()
        _expect_table(
            exam, "unknown_destinations counts the flights to each airport that is not in the table", found, true
        )
    _expect_year(exam, join_airports, unknown_destinations)


def _expect_year(exam: Examination, join_airports: Any, unknown_destinations: Any) -> None:
    from .... import datasets

    with in_this_process():
        joined = exam.call(join_airports, datasets.flights(columns=["dest", "carrier"]), datasets.airports())
        found = exam.call(as_pandas, exam.call(unknown_destinations, joined))
    exam.expect("In the real year, 7,602 flights go to four unknown airports", len(found) == 4 and found.sum() == 7602,
                f"{int(found.sum()):,} flights to {len(found)}")  # fmt: skip
