"""A tuple of lists."""

order = tuple([letter, level] for letter, level in zip("FHJGEDBALI", [0] * 5 + [1] * 4 + [0], strict=True))
