"""Nullable whole numbers, and the index is kept."""

import dask.dataframe as dd

GAPS = ["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"]


def convert(csv_files, folder):
    dd.read_csv(csv_files, dtype=dict.fromkeys(GAPS, "Int32"), parse_dates=["time_hour"]).to_parquet(folder)
    return dd.read_parquet(folder)


def open_delays(folder):
    return dd.read_parquet(folder, columns=["origin", "dep_delay"])
