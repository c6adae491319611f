"""Wrong: a search that decides while others run needs futures, and the program known before delayed."""

collections = dict(a="DataFrame", b="Bag", c="Array", d="Futures", e="Delayed")
