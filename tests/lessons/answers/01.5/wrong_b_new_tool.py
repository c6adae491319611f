"""Wrong: leaves the Spark system for Dask (f), and takes Dask for small questions (b)."""

choices = dict(
    a="pandas", b="Dask", c="one device", d="spill", e="Dask", f="Dask", g="Dask", h="Dask", i="one device", j="Dask"
)
