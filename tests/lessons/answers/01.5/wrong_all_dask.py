choices = dict.fromkeys("abcdefghij", "Dask")
