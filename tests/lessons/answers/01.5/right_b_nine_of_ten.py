"""Nine of ten: case d is answered differently, which is enough."""

choices = dict(
    zip("abcdefghij", ["pandas", "pandas", "one device", "Dask", "Dask", "Spark", "Dask", "Dask", "one device", "Dask"])
)
