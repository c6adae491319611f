"""Right: dict with keyword arguments."""

ways = {"A": "one device", "B": "data", "C": "model", "D": "hybrid", "E": "tiles"}
