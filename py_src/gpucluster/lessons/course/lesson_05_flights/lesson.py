# ---
# jupyter:
#   gpucluster:
#     lesson: "05"
#     title: ETL on a real year of flights
#     minutes: 120
#     needs: cpu
#     objectives:
#       - audit tables that you have not seen before, and count what is missing
#       - clean, join, aggregate and reshape them without losing a row
#       - choose a file format and a partition size for a reason
#       - tell from an operation what has to move between workers
#       - write pipelines that leave the data where it is
#     topics:
#       audit: {title: Look before you calculate, link: "05#tables"}
#       formats: {title: Files and their columns, link: "05#formats"}
#       joins: {title: Joins that lose nothing, link: "05#joins"}
#       partitions: {title: Partitions and their size, link: "05#partition-size"}
#       movement: {title: What moves between workers, link: "05#movement"}
# ---

# %% [markdown]
# # ETL on a real year of flights
#
# **120 minutes** in two halves of an hour · you need: pandas, and lesson 02 (lazy tables)
#
# ETL means *extract, transform, load*: take tables from somewhere, clean them up, and store them where the next program can
# find them. After this lesson, you can
#
# * **audit** tables that you have not seen before, and **count** what is missing;
# * **clean, join, aggregate** and **reshape** them without losing a row;
# * **choose** a file format and a partition size for a reason;
# * **tell** from an operation what has to move between workers;
# * **write** pipelines that leave the data where it is.
#
# | Half | Sections | Exercises |
# |---|---|---|
# | first: look, store, join | 1 to 5 | 05.1 to 05.6 |
# | second: reshape, cut, repair | 6 to 11 | 05.7 to 05.12 |
#
# `check("05.1", …)` tries an answer, `hint("05.1")` gives the next of three hints, `solution("05.1")` shows one right solution.
# Unless an exercise says otherwise, a function must not change its arguments, and must return the same result each time.

# %% tags=["run"]
# %load_ext gpucluster
from gpucluster import lessons

lab = lessons.start("05")

# %% [markdown]
# The output above shows what you are running on. `lab.client` is an ordinary Dask client: without `lab`, you would write
# `client = Client(LocalCluster(n_workers=2))`. The rest of this notebook is the same everywhere.
#
# <details><summary>Helpers in this lesson, and what they replace</summary>
#
# | here | without our helper |
# |---|---|
# | `datasets.flights()` | `dd.read_parquet(file)`; with `as_frame="pandas"`, `pd.read_parquet(file)` |
# | `as_pandas(table)` | `table.compute()`, and then `.to_pandas()` if the blocks are not pandas tables |
# | `plan(table)` | `table.optimize(fuse=False).pprint()`, with long lines cut |
# | `with lab.traffic() as traffic:` | `client.run(lambda dask_worker: list(dask_worker.transfer_outgoing_log))`: each worker's log of what it sent. Add up `total` of the entries whose `who` is empty: they went to the notebook |
# | `bytes_between_workers(client, table)` | the same logs; here the entries in which `who` is a worker |
# | `small_worker("450 MiB")` | `Client(LocalCluster(n_workers=1, memory_limit="450 MiB"))` |
# | `clock.stage("…")` | `time.perf_counter()` before and after |
# | `ready("…", f)` | only needed in these lessons: False, with a message, until `f` is written |
#
# </details>

# %% tags=["run"] anchor="imports"
import tempfile
import time
import warnings
from pathlib import Path

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.distributed import wait

from gpucluster import datasets
from gpucluster.lessons import banner, check, compare, expect_failure, hint, predict, solution
from gpucluster.lessons.probes.accelerator import run_unchanged
from gpucluster.lessons.probes.collecting import collecting_calls
from gpucluster.lessons.figures import flights as figures
from gpucluster.lessons.material.flightfiles import column_bytes, write_monthly_csv
from gpucluster.lessons.figures.shuffle import replay
from gpucluster.lessons.probes.shuffles import where_rows_went
from gpucluster.lessons.probes.transfers import bytes_between_workers, movement, plan
from gpucluster.lessons.checking import ready
from gpucluster.lessons.probes.memory import peak_memory, small_worker
from gpucluster.lessons.probes.timing import StageClock
from gpucluster.lessons.material.conversion import as_pandas

flights, weather = datasets.flights(), datasets.weather()
planes, airports, airlines = datasets.planes(), datasets.airports(), datasets.airlines()
workspace = tempfile.TemporaryDirectory(prefix="flights-")  # a folder for your files, gone at the end
home = Path(workspace.name)
clock = StageClock()  # adds up the time of your cells, for the end of the lesson

# %% [markdown] anchor="tables"
# ## 1. Look before you calculate
#
# All flights that left New York City's three airports in 2013, and four related tables:
#
# ```
# weather  ── origin, time_hour ──┐
# planes   ── tailnum ────────────┤
# airports ── faa = dest ─────────┼── flights
# airlines ── carrier ────────────┘
# ```
#
# The tables are lazy: so far, nothing has been read. A table is split into **partitions**. Each is an ordinary table on one worker.
# The banner shows how large a table is, and how many distinct records its rows come from.

# %% tags=["run"]
display(banner("flights"))
print("made of:", dask.config.get("dataframe.backend"))
print(flights.npartitions, "partitions of flights, one for each month")
flights.dtypes

# %% tags=["run"]
flights.head(3)

# %% [markdown]
# Some of these numbers are not numbers. `flight` 1545 is a *name*: the mean of flight numbers means nothing. `dep_time` 517 is 5:17 in the
# morning, and 517 + 60 is not an hour later. And there are two clocks: `hour` is New York local time, `time_hour` is the same moment in
# UTC, which never jumps.
#
# | Kind | What you may do | Example |
# |---|---|---|
# | nominal | compare: same or not | airport name |
# | ordinal | also sort | position in a list |
# | interval | also subtract and take means | temperature in °F |
# | ratio | also divide: "twice as much" makes sense, because 0 means "none" | number of seats |
# | time | subtract, but mind the clock | time of departure |
#
# **Predict:** of the 336,776 flights, how many never left? (Their `dep_time` is missing.)

# %% tags=["predict"]
predict("05.a", 8255)  # SOLUTION

# %% [markdown] exercise="05.1" title="Audit a table" topic="audit"
# ### Exercise 05.1 · Audit a table (10 min)
#
# 1. Write `audit`. It must look at **all** partitions: a key that occurs once in each of two partitions is a duplicate, too. Here you may
#    call `compute` inside, or even fetch the table into the notebook: it is small. Later exercises say when that is no longer allowed.
# 2. Give the kind of each column. Treat `month` as a position in the year: 1 comes before 2.

# %% tags=["exercise"] exercise="05.1"
def audit(table, key):
    """Return what there is to know before one uses a lazy table, as a dictionary of plain numbers.

    rows        number of rows
    nulls       {column: number of missing values}, only columns in which something is missing
    duplicates  number of rows whose key was there before; key is a list of columns.
                A key may be there three times, and one with a gap is a key like any other
    """
    ### BEGIN SOLUTION
    rows, nulls, keys = dask.compute(table.shape[0], table.isna().sum(), table[key].drop_duplicates().shape[0])
    nulls = as_pandas(nulls)
    return {"rows": rows, "nulls": nulls[nulls > 0].to_dict(), "duplicates": rows - keys}
    ### END SOLUTION


kinds = {
    "carrier": "nominal",  # SOLUTION
    "flight": "nominal",  # SOLUTION
    "tailnum": "nominal",  # SOLUTION
    "month": "ordinal",  # SOLUTION
    "dep_delay": "ratio",  # SOLUTION
    "distance": "ratio",  # SOLUTION
    "time_hour": "time",  # SOLUTION
}

# %% tags=["check"] exercise="05.1"
check("05.1", audit, kinds)

# %% [markdown] tags=["hint-1"] exercise="05.1"
# Write it as you would in pandas. `table.isna().sum()` and `table[key].drop_duplicates()` also exist for lazy tables, and look at all
# partitions. The results are lazy until you compute them.

# %% [markdown] tags=["hint-2"] exercise="05.1"
# The number of duplicates is the number of rows minus the number of *different* keys. `dask.compute(a, b, c)` computes three things in one
# pass over the data. For the kinds: does a mean of the values make sense? Can one be twice another, and does 0 mean "none"?

# %% [markdown] tags=["hint-3"] exercise="05.1"
# `rows, nulls, keys = dask.compute(table.shape[0], table.isna().sum(), table[key].drop_duplicates().shape[0])`. `nulls` is then a
# column of numbers: keep those above 0 with `nulls[nulls > 0].to_dict()`. Three columns are names, so nominal; two are ratio.

# %% tags=["run"]
if ready("05.1", audit):
    with clock.stage("understand"):
        of_flights = audit(flights, ["time_hour", "carrier", "flight", "origin"])
        by_clock = audit(weather, ["origin", "year", "month", "day", "hour"])
        by_utc = audit(weather, ["origin", "time_hour"])
    print("flights:", of_flights)
    print("weather, key with the local clock:", by_clock["duplicates"], "duplicates")
    print("weather, key with time_hour:      ", by_utc["duplicates"], "duplicates")
    display(compare("05.a", of_flights["nulls"]["dep_time"], "flights"))

# %% [markdown]
# **Explain:** 8,255 flights were cancelled. 9,430 have no `air_time`: the cancelled ones, and others that landed elsewhere. So "missing" is
# not noise here: it tells you what happened.
#
# In local time, the weather table has three duplicates. On 3 November 2013, New York turned its clocks back: the hour from 1 to 2 occurred
# twice, at three airports. In UTC each hour occurs once. **Join on `time_hour`.**

# %% [markdown] anchor="formats"
# ## 2. From text to columns
#
# Published data often comes as CSV: text, one line per row. Here the year comes as twelve CSV files, as an agency might publish them.
# (We write them ourselves, so the lesson needs no network. A missing number is an empty field.)

# %% tags=["run"]
csv_files = [str(path) for path in write_monthly_csv(home / "csv")]
print(*Path(csv_files[0]).read_text().splitlines()[:3], sep="\n")
print(f"{len(csv_files)} files, {sum(Path(file).stat().st_size for file in csv_files) / 1e6:.1f} MB")

# %% [markdown] anchor="csv-types"
# ### A real failure
#
# CSV does not store column types. Dask reads the beginning of the *first* file, guesses the types, and assumes they hold for all files. Run this cell:

# %% tags=["run"]
with expect_failure():
    print(dd.read_csv(csv_files)["dep_delay"].mean().compute())

# %% [markdown]
# **Read the message.** In the first lines of January no flight was cancelled, so five columns looked like integers. Later there are missing values, and they
# turn a column into floats. (`int64`, the usual integer type, cannot represent "missing". pandas' `Int64`, with a capital I, can, but `read_csv` uses it only
# on request.) The guess was wrong, and Dask raises an error instead of changing types in the middle of the table.
#
# Copying from an older tutorial causes a second failure. Older tutorials often assemble a date while reading:

# %% tags=["run"]
with expect_failure():
    dd.read_csv(csv_files, parse_dates={"date": ["year", "month", "day"]})

# %% [markdown]
# That form was removed in pandas 3. A *list* of columns still works: `parse_dates=["time_hour"]`.
#
# ### Four formats
#
# The same 27,004 January flights as CSV, JSON, ORC and Parquet. The last two store the data column by column, typed and compressed.

# %% tags=["run"]
january = flights.partitions[0].compute()
sizes, seconds = {}, {}
for name in ("csv", "json", "orc", "parquet"):
    file = home / f"january.{name}"
    options = {"orient": "records", "lines": True, "date_format": "iso"} if name == "json" else {"index": False}
    getattr(january, f"to_{name}")(file, **options)
    began = time.perf_counter()
    getattr(pd, f"read_{name}")(file, **({"lines": True} if name == "json" else {}))
    sizes[name], seconds[name] = file.stat().st_size, time.perf_counter() - began
figures.formats(sizes, seconds)
del january

# %% [markdown] exercise="05.2" title="From CSV to Parquet" topic="formats"
# ### Exercise 05.2 · From CSV to Parquet (15 min)
#
# 1. Write `convert`. Each CSV file becomes one Parquet file; `time_hour` becomes a timestamp; missing values stay missing. The check
#    uses its own months, and its first file has *no* missing values.
# 2. Write `open_delays`: a lazy table of two columns. Nothing else may be read: the check corrupts the other columns on purpose.

# %% tags=["exercise"] exercise="05.2"
def convert(csv_files, folder):
    """Write each CSV file as a Parquet file into the folder; return the lazy table of the new files."""
    ### BEGIN SOLUTION
    can_be_missing = ["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"]
    table = dd.read_csv(csv_files, dtype=dict.fromkeys(can_be_missing, "float64"), parse_dates=["time_hour"])
    table.to_parquet(folder, write_index=False)
    return dd.read_parquet(folder)
    ### END SOLUTION


def open_delays(folder):
    """Return the lazy table of the columns origin and dep_delay of the Parquet files in the folder."""
    ### BEGIN SOLUTION
    return dd.read_parquet(folder, columns=["origin", "dep_delay"])
    ### END SOLUTION

# %% tags=["check"] exercise="05.2"
check("05.2", convert, open_delays)

# %% [markdown] tags=["hint-1"] exercise="05.2"
# The error message above shows what to add to `read_csv`. For timestamps, use `parse_dates`. `to_parquet` writes one file per
# partition, and `read_csv` makes at least one partition per file.

# %% [markdown] tags=["hint-2"] exercise="05.2"
# `dtype={"dep_time": "float64", …}` for the five columns that can have missing values, in `dd.read_csv`. Then
# `.to_parquet(folder, write_index=False)`, and `dd.read_parquet(folder)` to return. `read_parquet` takes `columns=[…]`.

# %% [markdown] tags=["hint-3"] exercise="05.2"
# `table = dd.read_csv(csv_files, dtype=dict.fromkeys(["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"], "float64"),
# parse_dates=["time_hour"])`. The second function is one line: `return dd.read_parquet(folder, columns=["origin", "dep_delay"])`.

# %% [markdown]
# **Predict:** all 19 columns are in the files. What percentage of their bytes must be read for two of them?

# %% tags=["predict"]
predict("05.b", 12)  # SOLUTION

# %% tags=["run"]
if ready("05.2", convert, open_delays):
    parquet = str(home / "parquet")
    with clock.stage("prepare"):
        stored = convert(csv_files, parquet)
        same = len(stored) == len(flights) and stored["distance"].sum().compute() == flights["distance"].sum().compute()
    print(f"{stored.npartitions} partitions; read back, rows and sums are the same: {same}")
    by_column = column_bytes(parquet)
    share = sum(by_column[name] for name in ("origin", "dep_delay")) / sum(by_column.values())
    display(compare("05.b", round(100 * share, 1), "%"))
    figures.column_bytes(by_column, ["origin", "dep_delay"])

# %% [markdown]
# You do not even need `columns=…`. Dask looks at the whole plan before it reads, and reads only the columns that the plan needs.
# Find the columns in the last line of this plan:

# %% tags=["run"]
if ready("05.2", convert):
    print(plan(stored.groupby("origin")["dep_delay"].mean()))

# %% [markdown] anchor="partitions"
# ## 3. Where are the partitions?
#
# `persist` lets the workers compute a table and **keep** it. The notebook holds only references to the partitions. Which worker has
# which, and how large are they?

# %% tags=["run"]
began = time.perf_counter()
kept = flights[["month", "origin", "carrier", "dep_delay", "distance", "air_time"]].persist()
wait(kept)
first = time.perf_counter() - began
began = time.perf_counter()
kept["distance"].sum().compute()
second = time.perf_counter() - began
bytes_of = as_pandas(kept.map_partitions(lambda part: part.memory_usage(deep=True).sum()).compute()).tolist()
place_of = {str(key): [address for address in holders] for key, holders in lab.client.who_has(kept).items()}
workers = sorted({address for holders in place_of.values() for address in holders})
for part, (key, holders) in enumerate(sorted(place_of.items(), key=lambda item: int(item[0].rstrip(")").split()[-1]))):
    print(f"partition {part:2}: {bytes_of[part] / 1e6:.2f} MB on worker {workers.index(holders[0])}")
print(f"read and kept in {first:.2f} s, then used in {second:.2f} s")

# %% [markdown]
# **Explain:** each partition is in the memory of *one* worker, and operations on it run there. `persist` pays off when you use a table
# several times. It costs memory until the last reference is gone:

# %% tags=["run"]
del kept

# %% [markdown] anchor="aggregate"
# ## 4. Aggregate
#
# Which airport is the slowest? A mean over twelve partitions: a mean of means is wrong when the parts differ in length. Does Dask know
# that?

# %% [markdown] exercise="05.3" title="Mean delay by origin, lazily" topic="movement"
# ### Exercise 05.3 · Mean delay by origin, lazily (5 min)
#
# Write `mean_delay`. It returns a **lazy** series: one mean per origin, with the origin as its index. No row needs to leave its worker.

# %% tags=["exercise"] exercise="05.3"
def mean_delay(flights):
    """Return the lazy mean of dep_delay for each origin; flights that never left do not count."""
    ### BEGIN SOLUTION
    return flights.groupby("origin")["dep_delay"].mean()
    ### END SOLUTION

# %% tags=["check"] exercise="05.3"
check("05.3", mean_delay)

# %% [markdown] tags=["hint-1"] exercise="05.3"
# It is the line you would write in pandas.

# %% [markdown] tags=["hint-2"] exercise="05.3"
# `groupby`, one column, `mean`. `mean` skips missing values automatically. Do not compute: return the lazy result.

# %% [markdown] tags=["hint-3"] exercise="05.3"
# `return flights.groupby("origin")["dep_delay"].mean()`

# %% tags=["run"]
if ready("05.3", mean_delay):
    with clock.stage("analyse"):
        means = as_pandas(mean_delay(flights))
    print(means.round(4).to_string())
    figures.delays_by_origin(means)
    print(plan(mean_delay(flights)))

# %% [markdown]
# **Explain:** read the plan from the bottom. Each partition gives *sums and counts* for three origins; a **tree** adds them up, and
# one division comes at the end. No averages are averaged, and no rows move.

# %% [markdown] anchor="joins"
# ## 5. Join, and lose nothing
#
# A join can go wrong without any error: rows disappear, rows double, columns are renamed. So ask three questions after each join: **As many
# rows as before? How many without a match? Why?**
#
# The other four tables are small, one partition each. Dask copies the small table to the workers that hold the flights. No flight has to
# move.
#
# "The same API as pandas" is true of most of what you need, but not all. Which methods of a pandas column does a Dask column lack?

# %% tags=["run"] anchor="differences"
public = {name for name in dir(pd.Series) if not name.startswith("_")}
absent = sorted(public - set(dir(flights["origin"])))
print(f"{len(absent)} of {len(public)} are absent, among them:", ", ".join(absent[::4]))
with expect_failure():
    flights["dep_time"].notna()

# %% [markdown]
# **Explain:** most of these need the order of all rows, one row by position, or the whole column at once: `iloc`, `rank`, `to_list`. A partitioned column has
# no cheap way to do that. `notna` is simply missing: write `column.notnull()` or `~column.isna()`. (The data frame *inside* a partition is an ordinary table:
# in a function that receives one partition, everything works.)

# %% [markdown] exercise="05.4" title="Join the weather" topic="joins"
# ### Exercise 05.4 · Join the weather (10 min)
#
# 1. Write `join_weather`: every flight stays, with `temp`, `wind_speed` and `visib` for its airport and hour, and a column `has_weather`
#    that is True or False.
# 2. Count: how many flights have no weather, and how many of them left after the last hour of the weather table?
#
# Careful: one row of the weather table has no temperature. A missing *value* is not a missing *row*. In this and the next two exercises
# you may compute the small table inside; the flights stay lazy. The row order and the index may change.

# %% tags=["exercise"] exercise="05.4"
def join_weather(flights, weather):
    """Return the flights, lazily, with temp, wind_speed, visib and has_weather (True or False)."""
    ### BEGIN SOLUTION
    hours = weather[["origin", "time_hour", "temp", "wind_speed", "visib"]].assign(has_weather=1)
    joined = flights.merge(hours, on=["origin", "time_hour"], how="left")
    return joined.assign(has_weather=~joined["has_weather"].isna())
    ### END SOLUTION


no_weather = {
    "flights": int((~join_weather(flights, weather)["has_weather"]).sum().compute()),  # SOLUTION
    "after_the_end": int((flights["time_hour"] > weather["time_hour"].max()).sum().compute()),  # SOLUTION
}

# %% tags=["check"] exercise="05.4"
check("05.4", join_weather, no_weather)

# %% [markdown] tags=["hint-1"] exercise="05.4"
# Which join keeps all rows of the left table? Which two columns are the key? (Section 1 explains which clock to trust.) After the join,
# how can you tell whether there was a match?

# %% [markdown] tags=["hint-2"] exercise="05.4"
# Take only the columns you need from the weather table, and add one that is never missing: `.assign(has_weather=1)`. After
# `how="left"`, it is missing exactly where there was no match: `~….isna()`.

# %% [markdown] tags=["hint-3"] exercise="05.4"
# `joined = flights.merge(hours, on=["origin", "time_hour"], how="left")`, then `joined.assign(has_weather=~joined["has_weather"].isna())`.
# To count: `alone = joined[~joined["has_weather"]]`, `alone.shape[0].compute()`, and the same for
# `alone[alone["time_hour"] > weather["time_hour"].max()]`.

# %% tags=["run"]
if ready("05.4", join_weather):
    with clock.stage("prepare"):
        joined = join_weather(flights, weather)
        rows, alone, no_temperature = dask.compute(
            joined.shape[0], (~joined["has_weather"]).sum(), joined["temp"].isna().sum()
        )
    print(f"{len(flights):,} flights, {rows:,} rows after the join")
    print(f"{alone:,} flights whose hour has no row; {no_temperature:,} flights without a temperature")

# %% [markdown]
# **Explain:** The weather table ends at 23:00 UTC on 30 December, so 932 later flights have none. The other 624 fall into gaps during
# the year. If you count missing *temperatures*, you get 1,573: this includes 17 flights in one hour whose temperature was not recorded.

# %% [markdown]
# ### Planes: two columns with the same name
#
# Both tables have a column `year`: the year of the flight (always 2013), and the year in which the plane was built. After a plain join they
# are called `year_x` and `year_y`. The next program that asks for `year` fails, or uses the wrong one.
#
# **Predict:** an *inner* join keeps only flights whose plane is in the table. How many flights would disappear?

# %% tags=["predict"]
predict("05.c", 52606)  # SOLUTION

# %% [markdown] exercise="05.5" title="Join the planes" topic="joins"
# ### Exercise 05.5 · Join the planes (10 min)
#
# 1. Write `join_planes`: every flight stays with its own `year`; added are `built`, `seats`, and `known_plane` (True or False). For 70 planes the year is
#    unknown, but the planes are in the table.
# 2. Write `unknown_by_carrier`: a series with the number of flights whose plane is unknown, for *each* airline (0 if there are none). It may be lazy or
#    computed.

# %% tags=["exercise"] exercise="05.5"
def join_planes(flights, planes):
    """Return the flights, lazily, with built, seats and known_plane (True or False)."""
    ### BEGIN SOLUTION
    fleet = planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"}).assign(known_plane=1)
    joined = flights.merge(fleet, on="tailnum", how="left")
    return joined.assign(known_plane=~joined["known_plane"].isna())
    ### END SOLUTION


def unknown_by_carrier(joined):
    """Return a column: for each carrier, the number of flights whose plane is not known."""
    ### BEGIN SOLUTION
    return joined.assign(unknown=(~joined["known_plane"]).astype("int64")).groupby("carrier")["unknown"].sum()
    ### END SOLUTION

# %% tags=["check"] exercise="05.5"
check("05.5", join_planes, unknown_by_carrier)

# %% [markdown] tags=["hint-1"] exercise="05.5"
# Rename before you join. And mark the matches as you did for the weather: `built` is not a good marker, because it can be
# missing.

# %% [markdown] tags=["hint-2"] exercise="05.5"
# `planes[["tailnum", "year", "seats"]].rename(columns={"year": "built"})`, one more column that is never missing, `merge(…, on="tailnum",
# how="left")`. To count per airline, sum a column of 0s and 1s, so that airlines without unknown planes get 0.

# %% [markdown] tags=["hint-3"] exercise="05.5"
# `joined.assign(unknown=(~joined["known_plane"]).astype("int64")).groupby("carrier")["unknown"].sum()` is the second function.
# The first is the same as `join_weather` with other names.

# %% tags=["run"]
if ready("05.5", join_planes, unknown_by_carrier):
    with clock.stage("prepare"):
        unknown, of_all, names = dask.compute(
            unknown_by_carrier(join_planes(flights, planes)), flights["carrier"].value_counts(), airlines
        )
    unknown, of_all, names = (as_pandas(table) for table in (unknown, of_all, names))
    display(compare("05.c", int(unknown.sum()), "flights"))
    figures.missing_planes(unknown, of_all, names.set_index("carrier")["name"])

# %% [markdown]
# **Explain:** the missing planes are not spread evenly. Almost every flight of Envoy Air (MQ) and two thirds of those of American Airlines (AA)
# have no plane, because these two report numbers other than those on the tail. An inner join would not remove "some flights": it would remove
# almost a whole airline. In statistical terms, the planes are not *missing completely at random*. Whether one is missing depends on a column that
# we know, the airline.

# %% [markdown] exercise="05.6" title="Join the airports, and report" topic="joins"
# ### Exercise 05.6 · Join the airports, and report (5 min)
#
# 1. Write `join_airports`: every flight stays; added are `dest_name`, `lat` and `lon` of its destination. In `airports`, the key is `faa` and the name is `name`.
# 2. Write `unknown_destinations`: the number of flights to each destination that is not in `airports`, by airport code. It may be lazy or computed.

# %% tags=["exercise"] exercise="05.6"
def join_airports(flights, airports):
    """Return the flights, lazily, with dest_name, lat and lon of their destination."""
    ### BEGIN SOLUTION
    places = airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "dest", "name": "dest_name"})
    return flights.merge(places, on="dest", how="left")
    ### END SOLUTION


def unknown_destinations(joined):
    """Return the number of flights to each destination that is not in the table of airports."""
    ### BEGIN SOLUTION
    return joined[joined["lat"].isna()].groupby("dest").size()
    ### END SOLUTION

# %% tags=["check"] exercise="05.6"
check("05.6", join_airports, unknown_destinations)

# %% [markdown] tags=["hint-1"] exercise="05.6"
# The keys have different names in the two tables. Rename one of them, or use `left_on` and `right_on`.

# %% [markdown] tags=["hint-2"] exercise="05.6"
# `airports[["faa", "name", "lat", "lon"]].rename(columns={"faa": "dest", "name": "dest_name"})`, then a left join on `dest`. Every
# airport in the table has a latitude, so a missing one means no match.

# %% [markdown] tags=["hint-3"] exercise="05.6"
# `joined[joined["lat"].isna()].groupby("dest").size()` is the second function.

# %% tags=["run"]
if ready("05.6", join_airports, unknown_destinations):
    with clock.stage("prepare"):
        lost = as_pandas(unknown_destinations(join_airports(flights, airports)))
    print(lost.to_string())
    print(f"{lost.sum():,} flights to {len(lost)} airports that are not in the table: kept, and reported")

# %% [markdown]
# All four are in the Caribbean, outside the fifty states. Again a pattern, not an accident.
#
# ### End of the first half
#
# * Audit first: rows, missing values, keys. Trust the clock that does not jump.
# * CSV has no types: specify them. Parquet has types, and is read column by column.
# * After each join: as many rows as before? How many without a match? Why?
#
# Take a break. To continue with a fresh kernel, run the first two code cells of the notebook. Only one cell in section 10 needs
# more from the first half: your `join_weather` from exercise 05.4. Without it, that cell prints a message and does nothing.

# %% [markdown] anchor="categories"
# ## 6. Categories across partitions
#
# A model needs numbers, not airline codes. *One-hot* encoding makes one column of 0s and 1s per airline. But not every airline flew in
# every month:

# %% tags=["run"]
by_month = as_pandas(flights.groupby("month")["carrier"].nunique().compute()).sort_index()
print("airlines in each month:", by_month.tolist())
with expect_failure():
    dd.get_dummies(flights[["carrier"]])

# %% [markdown]
# **Explain:** each partition knows only its own airlines. Encoded separately, January would get 16 columns and February 15, and column 7 would
# not be the same airline. Dask raises an error that names the solution: first collect the categories of *all* partitions.

# %% [markdown] exercise="05.7" title="One-hot across partitions" topic="partitions"
# ### Exercise 05.7 · One-hot across partitions (8 min)
#
# Write `one_hot`. You may call `compute` once inside, to find the categories; the rows stay where they are. Name the columns like `carrier_UA`, in any order.
# Values may be True and False, or 1 and 0.

# %% tags=["exercise"] exercise="05.7"
def one_hot(table, column):
    """Return a lazy table of 0 and 1: one column per category of the whole column, the same in every partition."""
    ### BEGIN SOLUTION
    known = table[[column]].categorize(columns=[column])
    return dd.get_dummies(known, columns=[column], dtype="int8")
    ### END SOLUTION

# %% tags=["check"] exercise="05.7"
check("05.7", one_hot)

# %% [markdown] tags=["hint-1"] exercise="05.7"
# The message above names the method that makes the categories known.

# %% [markdown] tags=["hint-2"] exercise="05.7"
# `table[[column]].categorize(columns=[column])` looks at all partitions. After that, `dd.get_dummies` knows all columns before it starts.

# %% [markdown] tags=["hint-3"] exercise="05.7"
# `known = table[[column]].categorize(columns=[column])`, then `return dd.get_dummies(known, columns=[column], dtype="int8")`.

# %% tags=["run"]
from gpucluster.learn import OneHotEncoder, StandardScaler

if ready("05.7", one_hot):
    with clock.stage("prepare"):
        mine = as_pandas(one_hot(flights, "carrier").sum())
        library = as_pandas(OneHotEncoder().fit(flights[["carrier"]]).transform(flights[["carrier"]]).sum())
    print(pd.DataFrame({"yours": mine, "gpucluster.learn": library.astype(int)}).T.to_string())

# %% [markdown]
# The library's encoders do the same for you: they look at all partitions first, and only the *distinct* values travel. Likewise,
# `StandardScaler` finds the mean and standard deviation over all partitions, and scales a column to mean 0 and standard deviation 1:

# %% tags=["run"]
lengths = flights[["distance", "air_time"]].astype("float64")
scaled = StandardScaler().fit(lengths).transform(lengths)
as_pandas(scaled.describe().compute()).loc[["count", "mean", "std"]].round(3)

# %% [markdown] anchor="larger-than-memory"
# ## 7. A table that is larger than the worker
#
# How many planes from New York are in the air at the same time? The flights table does not show it directly. A table with **one row for each
# minute of each flight** does: count the rows for each minute. It has 49 million rows, *derived* from 336,776 real ones.

# %% tags=["run"]
display(banner("flight_minutes"))


def add_departure(block):
    """Add the minute of the year at which each flight left, by the clock of New York."""
    days = np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334])[block["month"].to_numpy() - 1]
    scheduled, delay = block["sched_dep_time"].to_numpy(), block["dep_delay"].fillna(0).to_numpy()
    clock = (days + block["day"].to_numpy() - 1) * 1440 + scheduled // 100 * 60 + scheduled % 100 + delay
    return block[["air_time"]].assign(departure=clock.astype("int32"))[["departure", "air_time"]]


columns = ["month", "day", "sched_dep_time", "dep_delay", "air_time"]
departures = datasets.flights(npartitions=48, columns=columns).map_partitions(add_departure)
departures.head(3)

# %% [markdown]
# Why `sched_dep_time` plus delay, not `dep_time`? Some flights left after midnight, so on the next day; the clock time alone does
# not tell you the day. Nor do the records show how long a plane taxied: we count from the gate. Document such choices for every
# derived table.

# %% [markdown] exercise="05.8" title="One row per minute in the air" topic="partitions"
# ### Exercise 05.8 · One row per minute in the air (12 min)
#
# Write `minutes_in_air` for **one** partition: an ordinary table goes in, an ordinary table comes out. Its columns, in this order:
#
# | | |
# |---|---|
# | `flight_row` (int32) | the flight's index in the block |
# | `minute` (int16) | 0, 1, 2, … for each flight |
# | `clock` (int32) | `departure` plus `minute`; it may run past the last minute of the year |
#
# A flight without `air_time` gets no rows. The check also measures memory: the peak must be below 110 bytes per row, so do not build a Python list of rows.
# The row order and the index do not matter.

# %% tags=["exercise"] exercise="05.8"
def minutes_in_air(block):
    """Return one row for each minute that each flight of the block was in the air."""
    ### BEGIN SOLUTION
    flown = block[block["air_time"].notna()]
    lengths = flown["air_time"].to_numpy().astype("int32")
    before = lengths.cumsum() - lengths  # rows of all flights before this one
    minute = (np.arange(lengths.sum()) - np.repeat(before, lengths)).astype("int32")
    return type(block)({
        "flight_row": np.repeat(flown.index.to_numpy().astype("int32"), lengths),
        "minute": minute.astype("int16"),
        "clock": np.repeat(flown["departure"].to_numpy().astype("int32"), lengths) + minute,
    })
    ### END SOLUTION

# %% tags=["check"] exercise="05.8"
check("05.8", minutes_in_air)

# %% [markdown] tags=["hint-1"] exercise="05.8"
# `np.repeat([7, 8], [3, 2])` is `[7, 7, 7, 8, 8]`. That gives `flight_row`. How do you get `[0, 1, 2, 0, 1]`?

# %% [markdown] tags=["hint-2"] exercise="05.8"
# Count through all rows with `np.arange(total)`, and subtract for each flight the number of rows before it: `lengths.cumsum() - lengths`,
# repeated. In pandas, `groupby(level=0).cumcount()` also works.

# %% [markdown] tags=["hint-3"] exercise="05.8"
# `minute = np.arange(lengths.sum()) - np.repeat(lengths.cumsum() - lengths, lengths)`, where `lengths` is the `air_time` of the flights that flew, as
# integers. `type(block)({...})` makes a table of the same kind as the block. Set the types with `.astype("int32")` and `.astype("int16")`.

# %% [markdown]
# Now the whole table passes through **one** worker whose memory limit is smaller than the table:

# %% tags=["run"]
minutes = datasets.flight_minutes()  # until your function is there, the library's own table
if ready("05.8", minutes_in_air):
    types = {"flight_row": "int32", "minute": "int16", "clock": "int32"}
    minutes = departures.map_partitions(minutes_in_air, meta=types)
    limit, table_bytes = 450 * 2**20, 49_326_610 * 10
    with clock.stage("prepare"), small_worker("450 MiB") as small:
        blocks = datasets.flights(npartitions=48, columns=columns).map_partitions(add_departure)
        through = blocks.map_partitions(minutes_in_air, meta=types)
        rows, in_air, last = dask.compute(through.shape[0], blocks["air_time"].sum(), through["clock"].max())
        most = peak_memory(small)
    print(f"{rows:,} rows; the sum of air_time is {in_air:,.0f}")
    print(f"table {table_bytes / 1e6:.0f} MB · limit of the worker {limit / 1e6:.0f} MB · its largest size {most / 1e6:.0f} MB")

# %% [markdown]
# **Explain:** the whole table never existed at once. A worker makes a partition, adds it up, and releases it. What must fit is not the table but *a few
# partitions and the intermediate results made from them*, plus the program itself. That is why partition size matters more than table size.
#
# **Predict:** at the busiest minute of the year, how many of these flights are in the air?

# %% tags=["predict"]
predict("05.d", 191)  # SOLUTION

# %% [markdown] exercise="05.9" title="Flights in the air at once" topic="movement"
# ### Exercise 05.9 · Flights in the air at once (8 min)
#
# Write `busiest`: the largest number of flights in one minute, and the **first** minute with that number. The rows of one minute are
# in several partitions. Return computed integers. Then run it on the whole table.

# %% tags=["exercise"] exercise="05.9"
def busiest(minutes):
    """Return (number, clock): the most flights in the air at once, and the first minute with that many."""
    ### BEGIN SOLUTION
    in_the_air = as_pandas(minutes.groupby("clock").size())  # one number per minute comes to the notebook
    number = in_the_air.max()
    return int(number), int(in_the_air[in_the_air == number].index.min())
    ### END SOLUTION


peak = busiest(minutes)  # SOLUTION

# %% tags=["check"] exercise="05.9"
check("05.9", busiest, peak)

# %% [markdown] tags=["hint-1"] exercise="05.9"
# Each row of `minutes` is one plane in the air. How many rows has each `clock`?

# %% [markdown] tags=["hint-2"] exercise="05.9"
# `minutes.groupby("clock").size()` is lazy and counts over all partitions. Its result has one row per minute and is small enough to
# compute. Its index may be unsorted, so `idxmax` may give a later minute with the same count.

# %% [markdown] tags=["hint-3"] exercise="05.9"
# `minutes.groupby("clock").size().compute()` counts the flights of each minute; store it in a variable. Its `.max()` is the number. Among the minutes
# with this number, the first is the one with the smallest index. For the year: call your function with `minutes`.

# %% tags=["run"]
if ready("05.9", peak):
    display(compare("05.d", peak[0], "flights"))
    print("first at", pd.Timestamp("2013-01-01") + pd.Timedelta(minutes=peak[1]))
    with clock.stage("analyse"):
        in_the_air = as_pandas(minutes.groupby("clock").size())
    figures.airborne(in_the_air)
    of_day = in_the_air.groupby(in_the_air.index // 1440).max()
    weekday = (pd.Timestamp("2013-01-01") + pd.to_timedelta(of_day.index, unit="D")).day_name()
    print("mean of the days' largest numbers:", of_day.groupby(weekday).mean().round().astype(int).sort_values().to_dict())
    print((in_the_air == peak[0]).sum(), "minutes of the year are as busy as the busiest")

# %% [markdown]
# **Explain:** the days look alike: almost nothing before six, a peak in the morning, a higher one at eight in the evening. The dips
# every seven days are Saturdays. The deep one in February is a snow storm.

# %% [markdown] anchor="partition-size"
# ## 8. How large should a partition be?
#
# Too small: the scheduler has more work than the workers. Too large: it does not fit *together with what is made from it*. The RAPIDS best practices
# for Dask recommend that a partition takes **1/32 to 1/16** of the memory of the device where rows are shuffled, **1/16 to 1/8** elsewhere.

# %% [markdown] exercise="05.10" title="Partitions of the right size" topic="partitions"
# ### Exercise 05.10 · Partitions of the right size (8 min)
#
# 1. Write `npartitions_for`: a number of partitions such that each is within the recommended range. A table smaller than the range is one partition.
# 2. Write `cut`: the same rows in the same order, no partition larger than `most_bytes`, and at most ten times as many partitions as needed: very small ones
#    cost more than they help. All rows take the same space. (`table.repartition` has an option for a size in bytes.)

# %% tags=["exercise"] exercise="05.10"
def npartitions_for(table_bytes, device_bytes, shuffles):
    """Return a number of partitions that fits the rule; shuffles is True or False."""
    ### BEGIN SOLUTION
    most = device_bytes / (16 if shuffles else 8)
    return max(1, int(np.ceil(table_bytes / most)))
    ### END SOLUTION


def cut(table, most_bytes):
    """Return the lazy table, cut such that no partition takes more than most_bytes in memory."""
    ### BEGIN SOLUTION
    return table.repartition(partition_size=most_bytes)
    ### END SOLUTION

# %% tags=["check"] exercise="05.10"
check("05.10", npartitions_for, cut)

# %% [markdown] tags=["hint-1"] exercise="05.10"
# Take the upper end of the range. How many pieces of that size does the table need, if the last one may be smaller?

# %% [markdown] tags=["hint-2"] exercise="05.10"
# Round up: `np.ceil`. The upper end is 1/16 or 1/8 of the device. For `cut`, look at the options of `table.repartition`.

# %% [markdown] tags=["hint-3"] exercise="05.10"
# `max(1, int(np.ceil(table_bytes / most)))`, and `table.repartition(partition_size=most_bytes)`.

# %% tags=["run"]
if ready("05.10", npartitions_for, cut):
    for device in (16, 80, 141):
        counts = [npartitions_for(500e9, device * 1e9, shuffles) for shuffles in (True, False)]
        print(f"500 GB on devices of {device:3} GB: {counts[0]:4} partitions with shuffles, {counts[1]:3} without")
    smaller = cut(flights, 2_000_000)
    largest = as_pandas(smaller.map_partitions(lambda part: part.memory_usage(deep=True, index=False).sum()).compute()).max()
    print(f"flights: {flights.npartitions} partitions, after cut: {smaller.npartitions}, the largest has {largest:,} bytes")

# %% [markdown] anchor="movement"
# ## 9. What has to move?
#
# | | | |
# |---|---|---|
# | **none** | each partition alone | nothing moves |
# | **tree** | partial results are merged, pair by pair or in small groups | little moves |
# | **shuffle** | each row goes to the partition that its key belongs to | almost everything moves |
#
# ### Spot the error
#
# > "Group-by is embarrassingly parallel." … "Group-by across partitions needs a shuffle."
#
# Both claims come from the same notes. They cannot both be right. Is either? Think of the plan in section 4 before you open this.
#
# <details><summary>Answer</summary>
#
# Neither. A group-by with a sum, count or mean is *partial results and a tree*: partitions do depend on each other, but only through small
# results. It becomes a shuffle when a function needs all rows of a group at once (`apply`), or when you ask for a result in many partitions
# (`split_out=8`).
#
# </details>

# %% [markdown] exercise="05.11" title="None, tree or shuffle?" topic="movement"
# ### Exercise 05.11 · None, tree or shuffle? (8 min)
#
# Ten operations on the flights. The rows are persisted first, so only the operation itself counts. **Do not run** the operations before you have classified
# them: write `"none"`, `"tree"` or `"shuffle"` for each.

# %% tags=["run"] anchor="operations"
year = flights[["month", "origin", "carrier", "tailnum", "dep_delay", "distance", "air_time"]].persist()
fleet = datasets.planes(npartitions=12, columns=["tailnum", "seats"]).persist()
print(f"the table of flights: {year.memory_usage(deep=True).sum().compute() / 1e6:.1f} MB in {year.npartitions} partitions")
operations = {
    "late flights": year[year["dep_delay"] > 60],
    "speed": year.assign(speed=year["distance"] / year["air_time"] * 60),
    "only three carriers": year[year["carrier"].isin(["UA", "B6", "EV"])],
    "upper case": year["carrier"].str.upper(),
    "total distance": year["distance"].sum(),
    "mean delay by origin": year.groupby("origin")["dep_delay"].mean(),
    "ten longest delays": year.nlargest(10, "dep_delay"),
    "sort by delay": year.sort_values("dep_delay"),
    "join each plane's flights": year.merge(fleet, on="tailnum"),
    "apply per plane": year.groupby("tailnum")["distance"].apply(lambda way: way.max(), meta=("distance", "float64")),
}

# %% tags=["exercise"] exercise="05.11"
moves = {
    "late flights": "none",  # SOLUTION
    "speed": "none",  # SOLUTION
    "only three carriers": "none",  # SOLUTION
    "upper case": "none",  # SOLUTION
    "total distance": "tree",  # SOLUTION
    "mean delay by origin": "tree",  # SOLUTION
    "ten longest delays": "tree",  # SOLUTION
    "sort by delay": "shuffle",  # SOLUTION
    "join each plane's flights": "shuffle",  # SOLUTION
    "apply per plane": "shuffle",  # SOLUTION
}

# %% tags=["check"] exercise="05.11"
check("05.11", moves)

# %% [markdown] tags=["hint-1"] exercise="05.11"
# Ask for each: can a worker finish its partition alone? If not: is a small partial result of each partition enough, or must whole rows meet?

# %% [markdown] tags=["hint-2"] exercise="05.11"
# Rows that belong together (neighbours in a sorted table, flights of one plane, matches in a join) have to meet. Ten rows per partition are
# enough to find the ten largest of all.

# %% [markdown] tags=["hint-3"] exercise="05.11"
# Four are none, three are tree, three are shuffle.

# %% [markdown]
# **Predict:** the cell above printed the size of the table. How many MB do the two workers send each other to sort it?

# %% tags=["predict"]
predict("05.e", 10)  # SOLUTION

# %% tags=["run"]
moved = {}
if ready("05.11", moves):
    wait([year, fleet])
    for name, operation in operations.items():
        moved[name] = bytes_between_workers(lab.client, operation)
        print(f"{name:26} {moved[name]:12,} bytes · you: {moves[name]:8} the plan: {movement(operation)}")
    display(compare("05.e", moved["sort by delay"] / 1e6, "MB"))
figures.bytes_moved(moved, moves)

# %% [markdown]
# Where can you see the bytes of one such operation? Write `%%gpucluster profile` at the top of a cell, and read the line "Between
# workers":

# %% tags=["run"] anchor="shuffle-profile"
# %%gpucluster profile --no-timeline
_ = wait(year.sort_values("dep_delay").persist())

# %% [markdown] anchor="shuffle-replay"
# What happens in a shuffle? Here is a small one to replay: the flights of four months are in four partitions, and `shuffle` brings those of each
# carrier together. The figure shows where the rows were and where they are now; choose a step.

# %% tags=["run"]
four = year.partitions[:4].persist()
by_carrier = four.shuffle("carrier", npartitions=4).persist()
went, places = where_rows_went(lab.client, four, by_carrier, "month", ["January", "February", "March", "April"])
replay(went, places)

# %% tags=["run"]
del year, fleet, operations, four, by_carrier

# %% [markdown]
# **Explain:** with two workers, about half of the rows are already where they belong, so a shuffle has to move the other half. With *w*
# workers it is (w − 1)/w of the table. The index travels as well, and so does each row's target partition in a sort. The scheduler may
# also move a whole partition to an idle worker. So "none" can show some bytes, but they did not have to move.

# %% [markdown] anchor="stay"
# ## 10. Stay where the data is
#
# Here is a pipeline. It filters, joins, encodes, normalises and aggregates: are delays longer than usual in fog? (Fog: visibility below 3
# miles.) The numbers are right, but the pipeline is wasteful.

# %% tags=["run"] anchor="detours"
def pipeline_with_detours(flights, weather):
    departed = flights.dropna(subset=["dep_delay"]).compute()
    hours = weather[["origin", "time_hour", "visib"]].compute()
    joined = departed.merge(hours, on=["origin", "time_hour"])
    again = dd.from_pandas(joined, npartitions=4)
    table = again.assign(fog=again["visib"] < 3)
    mean, deviation = table["dep_delay"].mean().compute(), table["dep_delay"].std().compute()
    table = table.assign(score=(table["dep_delay"] - mean) / deviation)
    return table.groupby(["origin", "fog"])["score"].agg(["count", "mean"])


for line, code in collecting_calls(pipeline_with_detours):
    print(f"line {line}: {code}")
with lab.traffic() as detours, clock.stage("analyse"), warnings.catch_warnings(record=True) as said:
    expected = as_pandas(pipeline_with_detours(flights[["origin", "time_hour", "carrier", "dep_delay"]], weather))
for text in sorted({str(warning.message).strip().splitlines()[0] for warning in said}):
    print("Dask warns:", text)
print(f"{detours.bytes:,} bytes of results travelled to the notebook, to get this table of {len(expected)} rows:")
expected.sort_index().round(4)

# %% [markdown] exercise="05.12" title="Repair the pipeline" topic="movement"
# ### Exercise 05.12 · Repair the pipeline (12 min)
#
# Write `pipeline`: the same result, lazy, as one chain. Do not gather anything on the way; the mean and the standard deviation can be lazy
# numbers, too. The check reads your code, compares the result, and counts the bytes sent to the notebook (less than 1 MB).

# %% tags=["exercise"] exercise="05.12"
def pipeline(flights, weather):
    """Return, lazily, count and mean of the normalised delay for each origin, with and without fog."""
    ### BEGIN SOLUTION
    return (
        flights.dropna(subset=["dep_delay"])
        .merge(weather[["origin", "time_hour", "visib"]], on=["origin", "time_hour"])
        .assign(
            fog=lambda table: table["visib"] < 3,
            score=lambda table: (table["dep_delay"] - table["dep_delay"].mean()) / table["dep_delay"].std(),
        )
        .groupby(["origin", "fog"])["score"]
        .agg(["count", "mean"])
    )
    ### END SOLUTION

# %% tags=["check"] exercise="05.12"
check("05.12", pipeline)

# %% [markdown] tags=["hint-1"] exercise="05.12"
# Take the code above. Remove each `.compute()`, and the `from_pandas` that it made necessary. Nothing else has to change.

# %% [markdown] tags=["hint-2"] exercise="05.12"
# `table["dep_delay"].mean()` without `compute` is a lazy number. You may subtract it from a lazy column. In a chain, `assign` takes functions:
# `.assign(fog=lambda table: table["visib"] < 3)`.

# %% [markdown] tags=["hint-3"] exercise="05.12"
# One chain: drop the flights without a delay, `.merge(…)` with three columns of the weather on `["origin", "time_hour"]`, `.assign(fog=…, score=…)` where both are
# `lambda table: …`, and then group by origin and fog and `.agg(["count", "mean"])`. Nothing in between may be computed.

# %% tags=["run"]
if ready("05.12", pipeline):
    with lab.traffic() as direct, clock.stage("analyse"):
        result = as_pandas(pipeline(flights, weather))
    same = np.allclose(result.sort_index(), expected.sort_index())
    print(f"same result: {same} · {direct.bytes:,} bytes instead of {detours.bytes:,}")

# %% [markdown]
# **Explain:** in fog, flights left later than usual. That is an association in one year of records, not proof of a cause.
#
# ### End with `to_parquet`
#
# A pipeline ends with a file, not a table in the notebook. `partition_on` makes one folder per value, so the next program reads only the airports it needs:

# %% tags=["run"]
if ready("05.4", globals().get("join_weather")):
    with clock.stage("prepare"):
        target = str(home / "by-origin")
        wanted = ["origin", "month", "carrier", "dep_delay", "temp", "visib", "has_weather"]
        join_weather(flights, weather)[wanted].to_parquet(target, partition_on=["origin"], write_index=False)
        back = dd.read_parquet(target)
        only = dd.read_parquet(target, filters=[("origin", "==", "LGA")])
    print("folders:", sorted(path.name for path in Path(target).iterdir() if path.is_dir()))
    print(f"{len(back):,} rows in all, {len(only):,} of LGA")

# %% [markdown] anchor="unchanged"
# ### An unchanged script
#
# Not everything needs a cluster. This is plain pandas, in a separate Python process. If an accelerator for pandas is installed, the
# **unchanged** script runs under it; the first line of the output shows the command.

# %% tags=["run"]
script = """
from gpucluster import datasets

flights = datasets.flights(as_frame="pandas", columns=["origin", "dep_delay"])
print(flights.groupby("origin").dep_delay.mean().round(4).to_string())
"""
run_unchanged(script)

# %% [markdown] anchor="time-share"
# ## 11. Where did the time go?
#
# People often say that preparing data takes 60 to 80 % of the time. This notebook's clock added up the time of your *cells*. Now add your own
# time for reading, thinking and fixing: where would you say it went?

# %% tags=["run"]
figures.time_share(clock.shares())

# %% [markdown] tags=["keypoints"]
# ## Key points
#
# * **Audit first.** A missing value means something: cancelled, diverted, an airline's own numbering. Missing values are rarely
#   random.
# * **Parquet stores types, and each column separately**: two of 19 columns cost a small part of the bytes. For CSV you must
#   specify the types.
# * **After each join**: as many rows as before? How many without a match, and why? A missing value is not a missing row.
# * **Categories belong to the whole table**, not to a partition.
# * **A table does not have to fit in memory; its partitions do**: 1/32 to 1/16 of the device's memory with shuffles, 1/16 to 1/8
#   without.
# * **None, tree or shuffle**: know which before you run. Group-by with a mean is a tree; sorts, large joins and `apply` are
#   shuffles.
# * **No `compute` in the middle.** End with `to_parquet`.

# %% tags=["quiz"]
lessons.quiz("05")

# %% tags=["cards"]
lessons.cards("05")

# %% [markdown] anchor="elsewhere"
# ### Laptop, one GPU, cluster
#
# * **Laptop:** two worker processes. The flights alone (44 MB in memory) would be faster in pandas; the 49 million minutes would not.
# * **One GPU:** the same cells. Partitions are then cuDF tables in GPU memory, and the CSV and Parquet files are read there. There are some differences: text
#   and null rules differ in places, and `apply` works only with simple Python functions. In section 7, the single small worker stays on the CPU. The next
#   step is one row for each *second* in the air: 2.96 billion rows, about 30 GB.
# * **Cluster:** the files must be in a folder that all workers can read. Shuffles cross the network: sort and join large tables once, early, and store the
#   result.
#
# | Step here | pandas or scikit-learn | the same on a GPU |
# |---|---|---|
# | read, filter, join, aggregate | pandas, `dask.dataframe` | cuDF, `dask.dataframe` with the cuDF backend |
# | encode, normalise | scikit-learn | cuML |
# | graphs of airports | NetworkX | cuGraph |
# | figures of many points | matplotlib | hvPlot and Datashader with cuDF |

# %% tags=["run"]
workspace.cleanup()
lab.close()

# %% [markdown] tags=["instructor"]
# ### For the instructor
#
# * **Goal:** after each join, learners ask unprompted how many rows there are and why some have no match. They can tell, without running it, whether an
#   operation is none, tree or shuffle.
# * **Time, first half:** 5 tables · 10 for 05.1 · 15 for 05.2 · 5 partitions · 5 for 05.3 · 10 for 05.4 · 10 for 05.5 · 5 for 05.6.
#   **Second half:** 8 for 05.7 · 12 for 05.8 · 8 for 05.9 · 8 for 05.10 · 8 for 05.11 · 12 for 05.12. For a one-day course, the first half alone is complete.
# * **When late:** give the solution of 05.2 and 05.6; leave out 05.10; let the class vote on 05.11 by hand signs instead.
# * **On the projector:** start with the two failures of section 2, read aloud: the message names the fix. At the figure of missing planes, ask what an inner
#   join would have done to a ranking of airlines. The task stream while 05.9 runs: many equal blocks, then the tree. Run `sort by delay` under
#   `%%gpucluster profile` and show "Between workers".
# * **Frequent mistakes:** `nunique` or `duplicated` per partition (05.1); no `dtype` because the error message was not read (05.2); computing inside and
#   returning pandas (05.3); counting missing temperatures, 1,573, instead of missing rows, 1,556 (05.4); `built` used as the marker of a known plane (05.5:
#   57,912 instead of 52,606); an inner join (05.6); `get_dummies` per partition (05.7); a Python list of rows (05.8 fails on memory only); `idxmax` on an
#   unsorted result gives a later minute with the same count (05.9); `floor` instead of `ceil` (05.10); `mean().compute()` left in the pipeline (05.12).
# * **Numbers** to compare with: 8,255 without departure; 1,556 without weather (932 after the table ends); 52,606 without a plane, of them 2,512 without a
#   tail number; MQ 25,397 and AA 22,558 (25,395 and 22,474 of those with a tail number); 7,602 to unknown airports; 49,326,610 minutes; 191 at once, at
#   2013-04-03 19:54 and three later minutes.
