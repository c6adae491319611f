"""Wrong: looks at the size only, so 3 hours of Python (j) and 400 simulations (h) go to pandas."""

choices = dict(
    a="pandas",
    b="pandas",
    c="one device",
    d="spill",
    e="Dask",
    f="Spark",
    g="Dask",
    h="pandas",
    i="one device",
    j="pandas",
)
