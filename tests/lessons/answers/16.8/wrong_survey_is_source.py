"""Wrong: takes "in a survey" in E for a source."""

missing = {
    "A": {"source", "date", "sample"},
    "B": {"source", "date", "baseline"},
    "C": set(),
    "D": {"date"},
    "E": {"sample"},
    "F": {"date"},
}
