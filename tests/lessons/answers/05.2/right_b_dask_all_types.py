"""Right: dask reads with types for all columns that may have gaps, one partition per file."""

import dask.dataframe as dd

NUMBERS = ["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"]
WORDS = ["carrier", "tailnum", "origin", "dest"]
TYPES = dict.fromkeys(NUMBERS, "float64") | dict.fromkeys(WORDS, "string")


def convert(csv_files, folder):
    table = dd.read_csv([str(file) for file in csv_files], dtype=TYPES, parse_dates=["time_hour"], blocksize=None)
    table.to_parquet(str(folder), write_index=False)
    return dd.read_parquet(str(folder))


def open_delays(folder):
    return dd.read_parquet(folder, columns=["origin", "dep_delay"])
