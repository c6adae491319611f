"""Right: exact fractions, the sum is a Fraction."""

from fractions import Fraction


def fair_points(paper):
    total = Fraction(0)
    for kind, options, outcome in paper:
        if outcome == "right":
            total += 1
        elif outcome == "wrong" and kind in ("choice", "several"):
            answers = options if kind == "choice" else 2**options - 1
            if answers > 1:
                total -= Fraction(1, answers - 1)
    return total
