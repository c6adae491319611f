"""Wrong: the program that is known before the start as futures, the search as delayed."""

collections = dict(zip("abcde", ("DataFrame", "Bag", "Array", "Futures", "Delayed"), strict=True))
