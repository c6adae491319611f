"""Wrong: nested JSON, each line another shape, is no table, and 400 Parquet files are no bag."""

collections = dict(a="Bag", b="DataFrame", c="Array", d="Delayed", e="Futures")
