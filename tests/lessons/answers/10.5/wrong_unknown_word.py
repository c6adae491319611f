"""A word that is none of them."""

ways = {"A": "one device", "B": "data", "C": "pipeline", "D": "hybrid", "E": "tiles"}
