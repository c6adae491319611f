"""Wrong: treats several as a choice."""


def fair_points(paper):
    total = 0.0
    for kind, k, outcome in paper:
        if outcome == "right":
            total += 1
        elif outcome == "wrong" and kind in ("choice", "several"):
            total -= 1 / (k - 1)
    return total
