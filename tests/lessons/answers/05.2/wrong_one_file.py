"""Everything in one file."""

import dask.dataframe as dd


def convert(csv_files, folder):
    table = dd.read_csv(csv_files, assume_missing=True, parse_dates=["time_hour"]).repartition(npartitions=1)
    table.to_parquet(folder, write_index=False)
    return dd.read_parquet(folder)


def open_delays(folder):
    return dd.read_parquet(folder, columns=["origin", "dep_delay"])
