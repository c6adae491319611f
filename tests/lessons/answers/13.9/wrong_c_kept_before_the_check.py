"""Wrong: keeps the change before the results are checked."""

order = [(letter, int(level)) for letter, level in zip("CBAGEDKHI", "000111111", strict=True)]
