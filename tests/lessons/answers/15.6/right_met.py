import numpy as np


def met(one, value):
    return one.get("at_least", -np.inf) <= value <= one.get("at_most", np.inf)


def gate(criteria, figures):
    failed = tuple(one["figure"] for one in criteria if not met(one, figures.get(one["figure"], np.nan)))
    return ["go" if not failed else "go back", failed]
