"""Wrong: print shows the plan only and loads nothing in c."""

loads = {"a": 2, "b": 1, "c": 1, "d": 2, "e": 1}
