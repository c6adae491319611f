"""A dict call."""

collections = dict(a="DataFrame", b="Bag", c="Array", d="Delayed", e="Futures")
