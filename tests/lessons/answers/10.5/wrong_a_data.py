"""A small job is divided."""

ways = {"A": "data", "B": "one device", "C": "model", "D": "hybrid", "E": "tiles"}
