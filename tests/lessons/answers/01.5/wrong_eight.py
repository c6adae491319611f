choices = {
    "a": "pandas",
    "b": "pandas",
    "c": "one device",
    "d": "Dask",
    "e": "Dask",
    "f": "Spark",
    "g": "Dask",
    "h": "Dask",
    "i": "one device",
    "j": "pandas",
}
