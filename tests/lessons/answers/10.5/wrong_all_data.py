"""Wrong: D is called data, so a word is used twice and hybrid never."""

ways = {"A": "one device", "B": "data", "C": "model", "D": "data", "E": "tiles"}
