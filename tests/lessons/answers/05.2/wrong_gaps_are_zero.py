"""Missing numbers become 0."""

import dask.dataframe as dd

GAPS = ["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"]


def convert(csv_files, folder):
    table = dd.read_csv(csv_files, dtype=dict.fromkeys(GAPS, "float64"), parse_dates=["time_hour"]).fillna(
        dict.fromkeys(GAPS, 0)
    )
    table.to_parquet(folder, write_index=False)
    return dd.read_parquet(folder)


def open_delays(folder):
    return dd.read_parquet(folder, columns=["origin", "dep_delay"])
