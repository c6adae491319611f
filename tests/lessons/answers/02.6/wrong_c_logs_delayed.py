"""Wrong: log files with a function for each file."""

collections = dict(zip("abcde", ("DataFrame", "Delayed", "Array", "Delayed", "Futures"), strict=True))
