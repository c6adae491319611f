"""Wrong: C and E swapped."""

ways = {"A": "one device", "B": "data", "C": "tiles", "D": "hybrid", "E": "model"}
