"""Only one line of the way."""

order = [("A", 0)]
