"""Arrow reads and writes."""

import os

import dask.dataframe as dd
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

F = ["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"]


def convert(csv_files, folder):
    for i, f in enumerate(csv_files):
        t = pc.read_csv(
            f,
            convert_options=pc.ConvertOptions(
                column_types={**{c: pa.float64() for c in F}, "time_hour": pa.timestamp("us"), "tailnum": pa.string()},
                null_values=["", "NA"],
                strings_can_be_null=True,
            ),
        )
        pq.write_table(t, os.path.join(folder, f"part.{i:02}.parquet"))
    return dd.read_parquet(folder)


def open_delays(folder):
    return dd.read_parquet(folder, columns=["origin", "dep_delay"], split_row_groups=False)
