import numpy as np


def gate(criteria, figures):
    failed = []
    for one in criteria:
        value = figures.get(one["figure"])
        if value is None or value < one.get("at_least", -np.inf) or value > one.get("at_most", np.inf):
            failed.append(one["figure"])
    return ("go back" if failed else "go"), failed
