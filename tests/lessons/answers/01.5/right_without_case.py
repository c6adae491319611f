choices = {
    "a": "Pandas",
    "b": "Pandas",
    "c": "one device",
    "d": "spill",
    "e": "dask",
    "f": "spark",
    "g": "dask",
    "h": "dask",
    "i": "one device",
    "j": "dask",
}
