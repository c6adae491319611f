missing = {
    "A": ["sample", "date", "source"],
    "B": ["baseline", "date", "source"],
    "C": [],
    "D": ["date"],
    "E": ["sample", "source"],
    "F": ["date"],
}
