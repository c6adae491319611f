"""Less than one per cent."""

counter_example = [[100.0, 100.0, 100.0], [100.5]]
