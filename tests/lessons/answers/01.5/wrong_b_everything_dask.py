"""Wrong: Dask for everything; what fits with working room needs one process or one device."""

choices = dict.fromkeys("abcdefghij", "Dask")
