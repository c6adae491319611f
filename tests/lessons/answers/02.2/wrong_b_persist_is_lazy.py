"""Wrong: persist keeps the result, so the two computes of e do not load again."""

loads = {"a": 2, "b": 1, "c": 0, "d": 2, "e": 3}
