"""Wrong: a sample is asked for in B, which is no share of people."""

missing = {
    "A": {"source", "date", "sample"},
    "B": {"source", "date", "sample", "baseline"},
    "C": set(),
    "D": {"date"},
    "E": {"source", "sample"},
    "F": {"date"},
}
