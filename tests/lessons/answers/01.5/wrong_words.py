choices = {
    "a": "Pandas!",
    "b": "numpy",
    "c": "one device",
    "d": "spill",
    "e": "Dask",
    "f": "Spark",
    "g": "Dask",
    "h": "Dask",
    "i": "one device",
    "j": "Dask",
}
