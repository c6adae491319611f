"""Without an answer for E."""

ways = {"A": "one device", "B": "data", "C": "model", "D": "hybrid", "E": None}
