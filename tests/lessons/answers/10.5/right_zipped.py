"""Made of two lists."""

ways = dict(zip("ABCDE", ["one device", "data", "model", "hybrid", "tiles"], strict=False))
