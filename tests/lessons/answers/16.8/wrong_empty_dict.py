"""Wrong: {} for C, which is a dictionary and no set."""

missing = {
    "A": {"source", "date", "sample"},
    "B": {"source", "date", "baseline"},
    "C": {},
    "D": {"date"},
    "E": {"source", "sample"},
    "F": {"date"},
}
