"""Right: a dictionary of functions and fsum."""

import math

_COST = {
    "choice": lambda k: 1 / (k - 1),
    "several": lambda k: 1 / (2**k - 2),
    "number": lambda k: 0.0,
    "text": lambda k: 0.0,
}


def fair_points(paper):
    return math.fsum(
        {"right": lambda: 1.0, "skipped": lambda: 0.0, "wrong": lambda kind=kind, k=k: -_COST[kind](k)}[outcome]()
        for kind, k, outcome in paper
    )
