"""Wrong: an accelerator for whatever is hard work, although h and j have none."""

choices = dict(
    a="pandas",
    b="pandas",
    c="one device",
    d="one device",
    e="one device",
    f="Spark",
    g="spill",
    h="one device",
    i="one device",
    j="one device",
)
