missing = {
    "A": {"source", "date", "sample"},
    "B": {"source", "date", "baseline"},
    "C": {"sample"},
    "D": {"date"},
    "E": {"source", "sample"},
    "F": {"date"},
}
