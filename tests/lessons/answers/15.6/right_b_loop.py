"""Right: a plain loop that collects reasons, one test after the other."""

import math


def gate(criteria, figures):
    reasons = []
    for criterion in criteria:
        name = criterion["figure"]
        if name not in figures:
            reasons.append(name)
            continue
        value = figures[name]
        try:
            absent = math.isnan(value)
        except TypeError:
            absent = True
        if (
            absent
            or "at_least" in criterion
            and value < criterion["at_least"]
            or "at_most" in criterion
            and value > criterion["at_most"]
        ):
            reasons.append(name)
    if reasons:
        return "go back", reasons
    return "go", []
