missing = {
    "A": {"source", "date", "sample"},
    "B": {"source", "date", "baseline"},
    "C": set(),
    "D": set(),
    "E": {"source", "sample"},
    "F": {"date"},
}
