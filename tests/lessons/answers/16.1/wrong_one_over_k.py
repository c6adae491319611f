"""Wrong: a wrong choice costs 1 / k instead of 1 / (k - 1)."""


def fair_points(paper):
    total = 0.0
    for kind, k, outcome in paper:
        if outcome == "right":
            total += 1
        elif outcome == "wrong" and kind == "choice":
            total -= 1 / k
        elif outcome == "wrong" and kind == "several":
            total -= 1 / (2**k - 1)
    return total
