"""The types are guessed from the first file."""

import dask.dataframe as dd


def convert(csv_files, folder):
    dd.read_csv(csv_files, parse_dates=["time_hour"]).to_parquet(folder, write_index=False)
    return dd.read_parquet(folder)


def open_delays(folder):
    return dd.read_parquet(folder, columns=["origin", "dep_delay"])
