"""Wrong: singular values are for an array; each collection is right for one job."""

collections = dict(a="DataFrame", b="Bag", c="DataFrame", d="Delayed", e="Futures")
