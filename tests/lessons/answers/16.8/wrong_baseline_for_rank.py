"""Wrong: the rank in D is taken for a gain without baseline."""

missing = {
    "A": {"source", "date", "sample"},
    "B": {"source", "date", "baseline"},
    "C": set(),
    "D": {"date", "baseline"},
    "E": {"source", "sample"},
    "F": {"date"},
}
