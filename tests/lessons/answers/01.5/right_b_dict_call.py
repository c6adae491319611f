"""A dict call with the ten answers."""

choices = dict(
    a="pandas",
    b="pandas",
    c="one device",
    d="spill",
    e="Dask",
    f="Spark",
    g="Dask",
    h="Dask",
    i="one device",
    j="Dask",
)
