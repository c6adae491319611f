# %% right comprehension
def cost(kind, options):
    if options is None:
        return 0
    return 1 / (options - 1) if kind == "choice" else 1 / (2**options - 2)


def fair_points(paper):
    return sum({"right": 1, "skipped": 0, "wrong": -cost(kind, n)}[what] for kind, n, what in paper)

# %% right fractions: Exact fractions, the sum is a Fraction.
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

# %% right table: A dictionary of functions and fsum.
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

# %% wrong empty_ticks_count
# fails: Guessing a question of kind 'several' gives 0 on average
# ~ 2**options - 2 => 2**options - 1

# %% wrong one_over_n
# fails: Guessing a question of kind 'choice' gives 0 on average
# ~ 1 / (options - 1) if => 1 / options if

# %% wrong loses_a_point
# fails: Guessing a question of kind 'choice' gives 0 on average
# ~ "wrong": -cost(kind, n) => "wrong": -1

# %% wrong mean
# fails: The points of a paper are the sum
# ~ for kind, n, what in paper) => for kind, n, what in paper) / max(len(paper), 1)

# %% wrong numbers_cost
# fails: A wrong number or text costs nothing
# ~ return 0 => return 1

# %% wrong skipped_is_wrong
# fails: A skipped question gives 0 points
# ~ "skipped": 0 => "skipped": -cost(kind, n)
