"""Wrong: takes the figures out of the dictionary that it is given, which a function leaves as it was."""

import math


def gate(criteria, figures):
    missed = []
    for criterion in criteria:
        name = criterion["figure"]
        value = figures.pop(name, math.nan)
        if not criterion.get("at_least", -math.inf) <= value <= criterion.get("at_most", math.inf):
            missed.append(name)
    return ("go back" if missed else "go"), missed
