"""One line only; an order of several lines with a level 1 was asked for."""

order = [("A", 0)]
