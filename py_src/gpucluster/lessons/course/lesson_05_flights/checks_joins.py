"""The checks of lesson 05, joins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...checks import exercise
from ...examination import Examination, Halt, describe, describe_error
from ...material.conversion import as_pandas
from .checks import (
    computed,
    expect_same_rows,
    in_parts,
    in_this_process,
    joined_lazily,
    real,
    require_columns,
    sample,
    times_read,
)

# Joins that keep every flight: with the weather, the planes and the airports.


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
        _expect_flag(exam, "has_weather shows whether there is a row for that hour", joined["has_weather"], known)
    _expect_counts(exam, no_weather)


def _hidden_weather(exam: Examination) -> tuple[Any, Any]:
    """Flights and weather in which some hours are missing, some temperatures, and one clock hour occurs twice."""
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
    flights["flight"] = np.arange(len(flights), dtype="int32")  # so that rows can be distinguished
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
        _expect_flag(exam, "known_plane shows whether the plane is in the table", joined["known_plane"], known)
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
    exam.expect("For the real year, 7,602 flights go to four unknown airports", len(found) == 4 and found.sum() == 7602,
                f"{int(found.sum()):,} flights to {len(found)}")  # fmt: skip


# Other shapes: categories across partitions, a row for each minute, flights in the air.


MOST, FIRST_MINUTE = 191, 133_674
"""Measured: 191 flights at 2013-04-03 19:54, minute 133,674 of the year, and at three later minutes."""
YEAR = 365 * 24 * 60
DTYPES = {"flight_row": "int32", "minute": "int16", "clock": "int32"}
BYTES_PER_ROW = 110


@exercise("05.7", "one_hot")
def check_one_hot(exam: Examination, one_hot: Any) -> None:
    """Every partition has a column for every category of the table, even for one it has never seen."""
    import pandas as pd

    for count, column in ((4, "carrier"), (3, "dest"), (1, "origin")):
        table = sample(exam.rng, "flights", 240, ["carrier", "origin", "dest", "distance"])
        table = table.sort_values(column, kind="stable").reset_index(drop=True)  # so that partitions differ
        lazy = in_parts(exam.rng, table, count)
        with in_this_process():
            result = exam.call(one_hot, lazy, column)
            is_lazy = hasattr(result, "to_delayed")
            exam.require("It returns a lazy Dask table", is_lazy, describe(result))
            before = times_read(lazy)
            parts = [exam.call(as_pandas, part) for part in result.to_delayed()]
        exam.expect(
            "No rows move: the new table consists of the old one's partitions",
            times_read(lazy) > before or _persisted(result),
            "it needs none of them: all rows had come to the notebook",
        )
        true = pd.get_dummies(table[column], prefix=column, dtype=int)
        names = [[str(name) for name in part.columns] for part in parts]
        exam.expect("Every partition has the same columns, in the same order", all(one == names[0] for one in names),
                    f"between {min(map(len, names))} and {max(map(len, names))} columns")  # fmt: skip
        wanted = list(true.columns)
        exam.require(
            "There is one column per category of the whole table, named column_category",
            all(set(one) == set(wanted) for one in names),
            f"{len(set.intersection(*map(set, names)) & set(wanted))} of {len(wanted)} in every partition; "
            f"the first: {', '.join(names[0][:3])}",
        )
        exam.expect("The lazy table has the same columns as its partitions",
                    [str(name) for name in result.columns] == names[0], f"{len(result.columns)} columns")  # fmt: skip
        found = pd.concat(parts)
        exam.require("Each row is there once", len(found) == len(table), f"{len(found)} rows of {len(table)}")
        try:
            values = found[wanted].astype(float).to_numpy()
        except (TypeError, ValueError):
            exam.require("The columns hold 0 and 1, or False and True", False, str(found.dtypes.iloc[0]))
            raise Halt from None
        right = (values == true.to_numpy()).all(axis=1).sum()
        exam.expect("Each row has a 1 in the column of its category, and 0 elsewhere", right == len(table),
                    f"{right} of {len(table)} rows")  # fmt: skip


def _persisted(table: Any) -> bool:
    """Whether a table is made of partitions that were computed and stay with the workers."""
    return any(type(node).__name__ == "FromGraph" for node in table.expr.walk())


@exercise("05.8", "minutes_in_air")
def check_minutes(exam: Examination, minutes_in_air: Any) -> None:
    """One row for each minute of each flight that was in the air, in little memory."""
    for size, missing, first in ((1, 0, 0), (40, 9, 0), (6, 1, YEAR - 20)):
        block = _block(exam, size, missing, first)
        given = block.copy()
        found = _minutes(exam, minutes_in_air, block)
        _expect_minutes(exam, found, given)
    _expect_none(exam, minutes_in_air)
    block = _block(exam, 2500, 60)
    found, peak = exam.measured(_minutes, exam, minutes_in_air, block)
    exam.expect(
        f"It needs less than {BYTES_PER_ROW} bytes of memory per row of the result, at its worst moment",
        peak < BYTES_PER_ROW * max(1, len(found)),
        f"{peak / max(1, len(found)):.0f} bytes per row for {len(found):,} rows",
    )


def _expect_none(exam: Examination, minutes_in_air: Any) -> None:
    def tried(block: Any) -> Any:
        try:
            return minutes_in_air(block)
        except NotImplementedError:
            raise
        except Exception as error:
            return error

    result = exam.call(tried, _block(exam, 5, 5))
    failed = isinstance(result, Exception)
    said = "A block in which no flight was in the air gives an empty table"
    exam.require(said, not failed, describe_error(result, minutes_in_air) if failed else "")
    found = _minutes(exam, lambda _: result, None)
    exam.expect(said, len(found) == 0, f"{counted(len(found), 'row')} for 5 flights without air_time")


def _block(exam: Examination, size: int, missing: int, first: int = 0) -> Any:
    """Return flights; those from a first minute on leave within 20 minutes, others in any part of the year."""
    import pandas as pd

    rows = np.sort(exam.rng.choice(300_000, size=size, replace=False)) + 1000
    air_time = exam.rng.integers(20, 320, size).astype(float)
    air_time[exam.rng.choice(size, missing, replace=False)] = np.nan
    departure = np.sort(exam.rng.integers(first, first + 20 if first else 520_000, size)).astype("int32")
    return pd.DataFrame({"departure": departure, "air_time": air_time}, index=pd.Index(rows))


def _minutes(exam: Examination, minutes_in_air: Any, block: Any) -> Any:
    found = exam.call(minutes_in_air, block)
    names = list(getattr(found, "columns", []))
    exam.require("It returns a table with flight_row, minute and clock, in this order", names == list(DTYPES),
                 ", ".join(map(str, names))[:80] or describe(found))  # fmt: skip
    types = {name: str(found[name].dtype) for name in DTYPES}
    exam.require("The types are int32, int16 and int32: 10 bytes per row", types == DTYPES, ", ".join(types.values()))
    return found


def _expect_minutes(exam: Examination, found: Any, block: Any) -> None:
    flown = block[block["air_time"].notna()]
    total = int(flown["air_time"].sum())
    exam.expect("There is one row per minute in the air", len(found) == total,
                f"{len(found):,} rows, the sum of air_time is {total:,}")  # fmt: skip
    lengths = found.groupby("flight_row").size()
    wanted = flown["air_time"].astype(int)
    same = lengths.to_dict() == wanted.to_dict()
    right = int((lengths.reindex(wanted.index) == wanted).sum())
    others = len(lengths.index.difference(wanted.index))
    exam.expect("flight_row is the flight's index in the block", same,
                f"{right} of {counted(len(flown), 'flight')} in the air have a row for each minute, and there are "
                f"{counted(others, 'other number')}")  # fmt: skip
    if not same:
        return
    grouped = found.groupby("flight_row")
    order = grouped["minute"].apply(lambda minutes: sorted(minutes) == list(range(len(minutes))))
    exam.expect(
        "minute counts from 0 for each flight", bool(order.all()), f"right for {int(order.sum())} of {len(flown)}"
    )
    began = found["flight_row"].map(flown["departure"]).astype("int64")
    right = (found["clock"] == began + found["minute"]).sum()
    exam.expect(
        "clock is the departure minute plus minute, even past the end of the year",
        right == len(found),
        f"{right:,} of {len(found):,} rows",
    )


@exercise("05.9", "busiest", "peak")
def check_busiest(exam: Examination, busiest: Any, peak: Any) -> None:
    """The minute with the most flights is found although a minute's flights lie in several partitions."""
    for count in (1, 3, 6):
        table, most, first = _hidden_minutes(exam)
        with in_this_process():
            found = _pair(exam, exam.call(busiest, in_parts(exam.rng, table, count)))
        exam.expect("number is the largest number of flights in the air in one minute", found[0] == most,
                    f"{found[0]:,} with {counted(count, 'partition')}")  # fmt: skip
        exam.expect(
            "clock is the first minute with that many flights",
            found[1] == first,
            f"{found[1]:,} with {counted(count, 'partition')}"
            + (
                ""
                if found[1] == first
                else ("; that minute comes later" if found[1] > first else "; that minute comes earlier")
            ),
        )
    number, clock = _pair(exam, peak)
    exam.expect("peak is the result of busiest for the real year (±0)", (number, clock) == (MOST, FIRST_MINUTE),
                f"{number:,} flights at minute {clock:,}")  # fmt: skip


def _pair(exam: Examination, value: Any) -> tuple[int, int]:
    is_pair = isinstance(value, (tuple, list)) and len(value) == 2
    exam.require("It is a pair: number of flights, clock", is_pair, describe(value))
    try:
        return int(value[0]), int(value[1])
    except (TypeError, ValueError):
        exam.require("Both are numbers, computed", False, f"{describe(value[0])}, {describe(value[1])}")
        raise Halt from None


def _hidden_minutes(exam: Examination) -> tuple[Any, int, int]:
    """Flights that cross each other, with two minutes that are equally busy; the later one comes first in the table."""
    import pandas as pd

    size, most = 60, int(exam.rng.integers(9, 14))
    begins, lengths = exam.rng.integers(0, 4000, size), exam.rng.integers(5, 30, size)
    rows = np.repeat(np.arange(size), lengths)
    minute = np.arange(lengths.sum()) - np.repeat(lengths.cumsum() - lengths, lengths)
    clock = np.repeat(begins, lengths) + minute
    table = pd.DataFrame({"flight_row": rows, "minute": minute, "clock": clock})
    crowd = int(table.groupby("clock").size().max()) + most
    first, second = 4200 + int(exam.rng.integers(0, 50)), 4400 + int(exam.rng.integers(0, 50))
    extra = [pd.DataFrame({"flight_row": np.arange(crowd) + size + n * crowd, "minute": 0, "clock": at})
             for n, at in enumerate((second, first))]  # fmt: skip
    # Spread over all partitions: no single partition knows how busy a minute is.
    mixed = pd.concat([extra[0], table, extra[1]]).sample(frac=1, random_state=exam.rng)
    late_first = mixed["clock"].to_numpy() == second
    order = np.argsort(~late_first & (exam.rng.random(len(mixed)) < 0.5), kind="stable")
    return mixed.iloc[order].astype(DTYPES).reset_index(drop=True), crowd, first
