"""pandas for each file, nullable types."""

from pathlib import Path

import dask
import dask.dataframe as dd
import pandas as pd


def one(path, goal):
    t = pd.read_csv(path, dtype=dict.fromkeys(("dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"), "Int64"))
    t["time_hour"] = pd.to_datetime(t["time_hour"])
    t.to_parquet(goal, index=False)


def convert(csv_files, folder):
    dask.compute([dask.delayed(one)(f, str(Path(folder) / (Path(f).stem + ".parquet"))) for f in csv_files])
    return dd.read_parquet(sorted(str(p) for p in Path(folder).glob("*.parquet")))


def open_delays(folder):
    return dd.read_parquet(folder)[["dep_delay", "origin"]]
