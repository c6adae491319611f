"""Wrong: a search that decides while others run cannot be planned beforehand."""

collections = dict(zip("abcde", ("DataFrame", "Bag", "Array", "Delayed", "Delayed"), strict=True))
