"""Wrong: returns True or False instead of go or go back."""

import math


def gate(criteria, figures):
    missed = []
    for criterion in criteria:
        name = criterion["figure"]
        value = figures.get(name, math.nan)
        if not criterion.get("at_least", -math.inf) <= value <= criterion.get("at_most", math.inf):
            missed.append(name)
    return not missed, missed
