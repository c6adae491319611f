"""Wrong: the answers are in the wrong rows, moved by one."""

choices = dict(
    zip(
        "abcdefghij", ["pandas", "one device", "spill", "Dask", "Spark", "Dask", "Dask", "one device", "Dask", "pandas"]
    )
)
