"""A pandas task for each file."""

from pathlib import Path

import dask
import dask.dataframe as dd
import pandas as pd

GAPS = ["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"]


@dask.delayed
def one(path, folder):
    table = pd.read_csv(path, parse_dates=["time_hour"], dtype=dict.fromkeys(GAPS, "float64"))
    table.to_parquet(Path(folder) / (Path(path).stem + ".parquet"), index=False)


def convert(csv_files, folder):
    dask.compute(*[one(path, folder) for path in csv_files])
    return dd.read_parquet(folder)


def open_delays(folder):
    return dd.read_parquet(folder)[["dep_delay", "origin"]]
