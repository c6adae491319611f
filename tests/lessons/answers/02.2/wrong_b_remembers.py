"""Wrong: a lazy object does not remember, so a loads twice and not once."""

loads = {"a": 1, "b": 1, "c": 0, "d": 2, "e": 1}
