missing = {
    "A": {"source", "date", "sample"},
    "B": {"source", "date", "sample", "baseline"},
    "C": set(),
    "D": {"date"},
    "E": {"source", "sample"},
    "F": {"date"},
}
