import numpy as np


def gate(criteria, figures):
    failed = []
    for one in criteria:
        if one["figure"] not in figures:
            continue
        value = figures[one["figure"]]
        if not one.get("at_least", -np.inf) <= value <= one.get("at_most", np.inf):
            failed.append(one["figure"])
    return ("go back" if failed else "go"), failed
