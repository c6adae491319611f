"""Right: delayed tasks that read with pyarrow and write with pyarrow."""

from pathlib import Path

import dask
import dask.dataframe as dd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

NUMBERS = ["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"]
WORDS = ["carrier", "tailnum", "origin", "dest"]
TYPES = dict.fromkeys(NUMBERS, "float64") | dict.fromkeys(WORDS, "string")
ARROW = dict.fromkeys(NUMBERS, pa.float64()) | dict.fromkeys(WORDS, pa.string()) | {"time_hour": pa.timestamp("us")}


@dask.delayed
def one(source, target):
    options = pa.csv.ConvertOptions(column_types=ARROW, strings_can_be_null=True)
    pa.parquet.write_table(pa.csv.read_csv(str(source), convert_options=options), target)
    return target


def convert(csv_files, folder):
    Path(folder).mkdir(parents=True, exist_ok=True)
    targets = [str(Path(folder) / (Path(file).stem + ".parquet")) for file in csv_files]
    dask.compute(*[one(source, target) for source, target in zip(csv_files, targets)])
    return dd.read_parquet(targets)


def open_delays(folder):
    files = sorted(str(path) for path in Path(folder).glob("*.parquet"))
    return dd.read_parquet(files, columns=["origin", "dep_delay"])
