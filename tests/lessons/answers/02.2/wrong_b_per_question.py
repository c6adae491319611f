"""Wrong: counts the questions; one request of b loads once for both."""

loads = {"a": 2, "b": 2, "c": 0, "d": 2, "e": 2}
