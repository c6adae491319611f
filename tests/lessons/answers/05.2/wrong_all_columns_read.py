"""All columns are read, two are kept."""

import dask.dataframe as dd


def convert(csv_files, folder):
    table = dd.read_csv(csv_files, assume_missing=True, parse_dates=["time_hour"])
    table.to_parquet(folder, write_index=False)
    return dd.read_parquet(folder)


def open_delays(folder):
    return dd.read_parquet(folder).map_partitions(lambda part: part[["origin", "dep_delay"]])
