"""Wrong: a measured figure that no criterion asks for counts as not met, although others may be there."""

import math


def gate(criteria, figures):
    missed = []
    for criterion in criteria:
        value = figures.get(criterion["figure"], math.nan)
        if not criterion.get("at_least", -math.inf) <= value <= criterion.get("at_most", math.inf):
            missed.append(criterion["figure"])
    asked = {criterion["figure"] for criterion in criteria}
    missed += [name for name in figures if name not in asked]
    return ("go back" if missed else "go"), missed
