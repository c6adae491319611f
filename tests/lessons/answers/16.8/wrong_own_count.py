"""Wrong: an own count in C is taken for no source, and a sample is asked for."""

missing = {
    "A": {"source", "date", "sample"},
    "B": {"source", "date", "baseline"},
    "C": {"source", "sample"},
    "D": {"date"},
    "E": {"source", "sample"},
    "F": {"date"},
}
