"""Model and hybrid are swapped."""

ways = {"A": "one device", "B": "data", "C": "hybrid", "D": "model", "E": "tiles"}
