order = list(zip("CJGEDFAB", [0, 0, 0, 1, 0, 0, 1, 0], strict=True))
