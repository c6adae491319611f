"""Right: letters and words side by side."""

collections = dict(zip("abcde", ("DataFrame", "Bag", "Array", "Delayed", "Futures"), strict=True))
