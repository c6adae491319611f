"""Right: a helper that says whether a criterion is met, with bounds at infinity where none is given."""

import math
from numbers import Real


def met(criterion, figures):
    value = figures.get(criterion["figure"])
    if not isinstance(value, Real) or math.isnan(value):
        return False
    return criterion.get("at_least", -math.inf) <= value <= criterion.get("at_most", math.inf)


def gate(criteria, figures):
    missed = [criterion["figure"] for criterion in criteria if not met(criterion, figures)]
    return ("go back" if missed else "go"), missed
