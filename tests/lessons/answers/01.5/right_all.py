choices = {
    "a": "pandas",
    "b": "pandas",
    "c": "one device",
    "d": "spill",
    "e": "Dask",
    "f": "Spark",
    "g": "Dask",
    "h": "Dask",
    "i": "one device",
    "j": "Dask",
}
