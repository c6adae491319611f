"""A model that fits is cut."""

ways = {"A": "one device", "B": "model", "C": "data", "D": "hybrid", "E": "tiles"}
