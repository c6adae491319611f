"""Wrong: a figure that is not there is passed over, but what was not measured has not passed."""

import math


def gate(criteria, figures):
    missed = []
    for criterion in criteria:
        name = criterion["figure"]
        if name not in figures:
            continue
        value = figures[name]
        low, high = criterion.get("at_least", -math.inf), criterion.get("at_most", math.inf)
        if not low <= value <= high:
            missed.append(name)
    return ("go back" if missed else "go"), missed
