"""Wrong: A and B swapped."""

ways = {"A": "data", "B": "one device", "C": "model", "D": "hybrid", "E": "tiles"}
