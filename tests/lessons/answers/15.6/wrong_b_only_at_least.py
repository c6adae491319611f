"""Wrong: at_most is never looked at."""

import math


def gate(criteria, figures):
    missed = []
    for criterion in criteria:
        name = criterion["figure"]
        value = figures.get(name, math.nan)
        if not value >= criterion.get("at_least", -math.inf):
            missed.append(name)
    return ("go back" if missed else "go"), missed
