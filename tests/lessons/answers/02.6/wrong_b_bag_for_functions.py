"""Wrong: a bag for the functions and delayed for the log files."""

collections = dict(a="DataFrame", b="Delayed", c="Array", d="Bag", e="Futures")
