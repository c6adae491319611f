"""Capital letters and spaces do no harm."""

ways = {"A": "One device", "B": " data", "C": "MODEL", "D": "Hybrid", "E": "tiles "}
