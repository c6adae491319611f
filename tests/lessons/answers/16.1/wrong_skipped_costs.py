"""Wrong: skipped counts like wrong."""


def fair_points(paper):
    total = 0.0
    for kind, k, outcome in paper:
        if outcome == "right":
            total += 1
        elif kind == "choice":
            total -= 1 / (k - 1)
        elif kind == "several":
            total -= 1 / (2**k - 2)
    return total
