"""Right: recursion; the number of patterns is counted with binomials, the cost from chance / (1 - chance)."""

from math import comb


def fair_points(paper):
    if not paper:
        return 0
    (kind, options, outcome), *rest = paper
    points = int(outcome == "right")
    if outcome == "wrong" and options is not None and kind in {"choice", "several"}:
        n = options if kind == "choice" else sum(comb(options, ticks) for ticks in range(1, options + 1))
        chance = 1 / n
        points = -chance / (1 - chance)
    return points + fair_points(rest)
