"""What is close to a bound passes."""

import math


def gate(criteria, figures):
    def met(value, one):
        low, high = one.get("at_least", -math.inf), one.get("at_most", math.inf)
        return low <= value <= high or math.isclose(value, low) or math.isclose(value, high)

    failed = [one["figure"] for one in criteria if not met(figures.get(one["figure"], math.nan), one)]
    return ("go back" if failed else "go"), failed
