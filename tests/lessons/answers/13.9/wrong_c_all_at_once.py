"""Wrong: improves everything at once."""

order = [(letter, int(level)) for letter, level in zip("CBAGEJIKH", "000111111", strict=True)]
