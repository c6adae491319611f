import dask.dataframe as dd

# %% right arrow: Arrow reads and writes.
import os

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

# %% right assume_missing: All whole numbers become decimal numbers: simple, and a little larger.
# ~ "], split_row_groups=False => "]
def convert(csv_files, folder):
    table = dd.read_csv(csv_files, assume_missing=True)
    table = table.assign(time_hour=dd.to_datetime(table["time_hour"], utc=True))
    table.to_parquet(folder, write_index=False)
    return dd.read_parquet(folder)

# %% right cast_later, edit of right assume_missing: Nullable whole numbers, and the index is kept.
# -     table = dd.read_csv(csv_files, assume_missing=True)
# -     table = table.assign(time_hour=dd.to_datetime(table["time_hour"], utc=True))
# -     table.to_parquet(folder, write_index=False)
# +     dd.read_csv(csv_files, dtype=dict.fromkeys(GAPS, "Int32"), parse_dates=["time_hour"]).to_parquet(folder)
GAPS = ["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"]

# %% right pandas: pandas for each file, nullable types.
from pathlib import Path

import dask
import pandas as pd


def one(path, goal):
    t = pd.read_csv(path, dtype=dict.fromkeys(("dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"), "Int64"))
    t["time_hour"] = pd.to_datetime(t["time_hour"])
    t.to_parquet(goal, index=False)


def convert(csv_files, folder):
    dask.compute([dask.delayed(one)(f, str(Path(folder) / (Path(f).stem + ".parquet"))) for f in csv_files])
    return dd.read_parquet(sorted(str(p) for p in Path(folder).glob("*.parquet")))


def open_delays(folder):
    return dd.read_parquet(folder)[["dep_delay", "origin"]]

# %% wrong another_column_changed, edit of right assume_missing: Delays in half precision.
# fails: Every column has the values from the CSV files
# ~ utc=True)) => utc=True), hour=0)

# %% wrong b_drops_rows, edit of right cast_later: Rows with a gap are left out; "what is missing stays missing".
# fails: All rows are there
# ~ .to_parquet(folder) => .dropna().to_parquet(folder)

# %% wrong b_empty_words, edit of right cast_later: Keep_default_na=False makes an empty word of a missing tailnum; "what is missing stays missing".
# fails: Missing values stay missing
# ~ parse_dates=["time_hour"] => parse_dates=["time_hour"], keep_default_na=False, na_values=dict.fromkeys(GAPS, "")

# %% wrong b_gaps_are_zero, edit of right cast_later: Fills the gaps with 0; "what is missing stays missing".
# fails: Missing values stay missing
# ~ .to_parquet(folder) => .fillna(dict.fromkeys(GAPS, 0)).to_parquet(folder)

# %% wrong b_one_big_file, edit of right cast_later: All months end in one file; "each CSV file becomes one Parquet file".
# fails: There is one Parquet file for each CSV file
# ~ .to_parquet(folder) => .repartition(npartitions=1).to_parquet(folder)

# %% wrong b_only_full_files, edit of right pandas: Reads the first file's guess and turns what does not fit into whole numbers: gaps become -1, not missing.
# fails: The sum of dep_delay is the same
# ~ (folder)[["dep_delay", "origin"]] => (folder, columns=["origin", "dep_delay"])
def convert(csv_files, folder):
    Path(folder).mkdir(parents=True, exist_ok=True)
    types = None
    for number, file in enumerate(csv_files):
        part = pd.read_csv(file, parse_dates=["time_hour"])
        if types is None:
            types = part.dtypes
        else:
            whole = [name for name in part.columns if str(types[name]).startswith("int")]
            part = part.fillna({name: -1 for name in whole}).astype({name: types[name] for name in whole})
        part.to_parquet(f"{folder}/{number:03}.parquet", index=False)
    return dd.read_parquet(folder)

# %% wrong b_open_eager, edit of right cast_later: Open_delays returns an ordinary table; "the lazy table" is asked.
# fails: It returns a lazy Dask table or column
# ~ columns=["origin", "dep_delay"]) => columns=["origin", "dep_delay"]).compute()

# %% wrong b_time_is_text, edit of right cast_later: Time_hour stays text; "time_hour becomes a time".
# fails: time_hour is stored as a time, not as text
# ~ "Int32"), parse_dates=["time_hour"]) => "Int32"))

# %% wrong ignores_folder, edit of right assume_missing: open_delays returns the table that convert has kept.
# fails: It reads only these two columns: the others are corrupted on purpose
# ~ dd.read_parquet(folder, columns=["origin", "dep_delay"]) => KEPT[-1]
# -     table.to_parquet(folder, write_index=False)
# +     table.to_parquet(folder, write_index=False)
# +     KEPT.append(table[["origin", "dep_delay"]])
KEPT = []

# %% wrong last_file_lost, edit of right assume_missing: The last file is left out.
# fails: There is one Parquet file for each CSV file
# -     table = dd.read_csv(csv_files, assume_missing=True)
# -     table = table.assign(time_hour=dd.to_datetime(table["time_hour"], utc=True))
# +     table = dd.read_csv(csv_files[:-1], assume_missing=True, parse_dates=["time_hour"])

# %% wrong returns_csv, edit of right assume_missing: Returns the lazy CSV table.
# fails: It runs without an error: FileNotFoundError
# -     table.to_parquet(folder, write_index=False)
# -     return dd.read_parquet(folder)
# +     table.to_parquet(folder, write_index=False)
# +     return table
