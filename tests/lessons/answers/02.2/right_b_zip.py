"""Two sequences that are joined."""

loads = dict(zip("abcde", (2, 1, 0, 2, 1)))
