"""All whole numbers become decimal numbers: simple, and a little larger."""

import dask.dataframe as dd


def convert(csv_files, folder):
    table = dd.read_csv(csv_files, assume_missing=True)
    table = table.assign(time_hour=dd.to_datetime(table["time_hour"], utc=True))
    table.to_parquet(folder, write_index=False)
    return dd.read_parquet(folder)


def open_delays(folder):
    return dd.read_parquet(folder, columns=["origin", "dep_delay"])
