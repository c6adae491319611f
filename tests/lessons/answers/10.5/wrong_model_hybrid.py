"""Wrong: C and D swapped."""

ways = {"A": "one device", "B": "data", "C": "hybrid", "D": "model", "E": "tiles"}
