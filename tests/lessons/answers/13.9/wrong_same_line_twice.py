"""The same line stands there again and again."""

order = [("A", 0), ("A", 0), ("A", 1), ("A", 1)]
