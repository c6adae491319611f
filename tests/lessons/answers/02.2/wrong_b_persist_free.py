"""Wrong: persist runs the plan, so e loads once and not never."""

loads = {"a": 2, "b": 1, "c": 0, "d": 2, "e": 0}
