"""Wrong: the names come in the order of the alphabet, not in the order of the criteria."""

import math


def gate(criteria, figures):
    missed = []
    for criterion in criteria:
        name = criterion["figure"]
        value = figures.get(name, math.nan)
        if not criterion.get("at_least", -math.inf) <= value <= criterion.get("at_most", math.inf):
            missed.append(name)
    return ("go back" if missed else "go"), sorted(missed)
