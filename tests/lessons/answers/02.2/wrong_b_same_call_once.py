"""Wrong: in d the two calls of a delayed function are two tasks, although their arguments are equal."""

loads = {"a": 2, "b": 1, "c": 0, "d": 1, "e": 1}
