"""Wrong: a matrix as a table, and JSON as a table."""

collections = dict(zip("abcde", ("DataFrame", "DataFrame", "DataFrame", "Delayed", "Futures"), strict=True))
