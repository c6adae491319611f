"""Wrong: writes what is there, not what is missing."""

missing = {"A": set(), "B": set(), "C": {"source", "date"}, "D": {"source"}, "E": {"date"}, "F": {"source", "baseline"}}
