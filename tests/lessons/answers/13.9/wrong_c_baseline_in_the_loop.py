"""Wrong: the baseline is measured in the loop, after the change."""

order = [(letter, int(level)) for letter, level in zip("CAGEDBKIH", "001111111", strict=True)]
