missing = {
    "A": {"source", "date", "sample"},
    "B": {"source", "date", "baseline"},
    "C": set(),
    "D": {"date"},
    "E": {"source", "sample"},
    "F": {"date"},
}
