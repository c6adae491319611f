"""Wrong: always a third, as for four options."""


def fair_points(paper):
    total = 0.0
    for kind, _k, outcome in paper:
        if outcome == "right":
            total += 1
        elif outcome == "wrong" and kind == "choice":
            total -= 1 / 3
        elif outcome == "wrong" and kind == "several":
            total -= 1 / 14
    return total
