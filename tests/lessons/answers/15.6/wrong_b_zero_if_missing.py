"""Wrong: what was not measured counts as 0, which passes a bound of at_most."""

import math


def gate(criteria, figures):
    missed = []
    for criterion in criteria:
        name = criterion["figure"]
        value = figures.get(name, 0)
        if not criterion.get("at_least", -math.inf) <= value <= criterion.get("at_most", math.inf):
            missed.append(name)
    return ("go back" if missed else "go"), missed
