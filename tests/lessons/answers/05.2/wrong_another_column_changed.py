"""Delays in half precision."""

import dask.dataframe as dd


def convert(csv_files, folder):
    t = dd.read_csv(
        csv_files,
        dtype=dict.fromkeys(["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"], "float64"),
        parse_dates=["time_hour"],
    )
    t = t.assign(arr_delay=t["arr_delay"].astype("float32"), hour=0)
    t.to_parquet(folder, write_index=False)
    return dd.read_parquet(folder)


def open_delays(folder):
    return dd.read_parquet(folder, columns=["origin", "dep_delay"])
