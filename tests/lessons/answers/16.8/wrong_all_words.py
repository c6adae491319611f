missing = {
    "A": {"source", "date", "sample", "baseline"},
    "B": {"source", "date", "sample", "baseline"},
    "C": {"source", "date", "sample", "baseline"},
    "D": {"source", "date", "sample", "baseline"},
    "E": {"source", "date", "sample", "baseline"},
    "F": {"source", "date", "sample", "baseline"},
}
