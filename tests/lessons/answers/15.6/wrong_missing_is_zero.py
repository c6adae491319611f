import numpy as np


def gate(criteria, figures):
    failed = [
        one["figure"]
        for one in criteria
        if not one.get("at_least", -np.inf) <= figures.get(one["figure"], 0) <= one.get("at_most", np.inf)
    ]
    return ("go back" if failed else "go"), failed
