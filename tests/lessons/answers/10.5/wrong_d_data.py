"""Many images: data, although the model does not fit."""

ways = {"A": "one device", "B": "data", "C": "model", "D": "data", "E": "tiles"}
