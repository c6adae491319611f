"""Wrong: stops at the first figure that is not met, but the list has all of them."""

import math


def gate(criteria, figures):
    missed = []
    for criterion in criteria:
        name = criterion["figure"]
        value = figures.get(name, math.nan)
        if not criterion.get("at_least", -math.inf) <= value <= criterion.get("at_most", math.inf):
            return "go back", [name]
    return "go", missed
