"""Wrong: Delayed for the search too; delayed needs the whole plan before the start."""

collections = dict(a="DataFrame", b="Bag", c="Array", d="Delayed", e="Delayed")
