"""Returns the lazy CSV table."""

import dask.dataframe as dd


def convert(csv_files, folder):
    t = dd.read_csv(
        csv_files,
        dtype=dict.fromkeys(["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"], "float64"),
        parse_dates=["time_hour"],
    )
    t.to_parquet(folder, write_index=False)
    return t


def open_delays(folder):
    return dd.read_parquet(folder, columns=["origin", "dep_delay"])
