"""Wrong: profiles once, before the loop."""

order = [(letter, int(level)) for letter, level in zip("CBGAEDIKH", "000011111", strict=True)]
