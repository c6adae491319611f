"""The image is large, so the model is cut."""

ways = {"A": "one device", "B": "data", "C": "tiles", "D": "hybrid", "E": "model"}
