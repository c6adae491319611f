"""Wrong: A is left open."""

ways = {"A": ..., "B": "data", "C": "model", "D": "hybrid", "E": "tiles"}
