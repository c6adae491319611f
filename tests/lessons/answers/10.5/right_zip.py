"""Right: zip of letters and words."""

ways = dict(zip("ABCDE", ["one device", "data", "model", "hybrid", "tiles"], strict=False))
