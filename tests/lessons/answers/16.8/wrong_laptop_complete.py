"""Wrong: F is taken for complete, though it has no date."""

missing = {
    "A": {"source", "date", "sample"},
    "B": {"source", "date", "baseline"},
    "C": set(),
    "D": {"date"},
    "E": {"source", "sample"},
    "F": set(),
}
