"""Wrong: the sum is never below 0, so that guessing gains on average."""


def fair_points(paper):
    total = 0.0
    for kind, k, outcome in paper:
        if outcome == "right":
            total += 1
        elif outcome == "wrong" and kind == "choice":
            total -= 1 / (k - 1)
        elif outcome == "wrong" and kind == "several":
            total -= 1 / (2**k - 2)
    return max(0.0, total)
