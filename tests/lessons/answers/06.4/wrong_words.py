"""No numbers."""

counter_example = ["three", "one"]
