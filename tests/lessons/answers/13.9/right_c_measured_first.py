"""Right: a text of letters and levels; measured again before the results are checked."""

order = [(letter, int(level)) for letter, level in zip("CBAGEDKIH", "000111111", strict=True)]
