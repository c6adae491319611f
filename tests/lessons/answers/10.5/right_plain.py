"""As given."""

ways = {"A": "one device", "B": "data", "C": "model", "D": "hybrid", "E": "tiles"}
