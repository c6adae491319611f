"""Wrong: pandas for 60 GB on a laptop of 16 GB, and Dask where spilling is enough: eight of ten."""

choices = dict(
    a="pandas",
    b="pandas",
    c="one device",
    d="Dask",
    e="Dask",
    f="Spark",
    g="pandas",
    h="Dask",
    i="one device",
    j="Dask",
)
