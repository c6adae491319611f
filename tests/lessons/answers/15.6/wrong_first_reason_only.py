import numpy as np


def gate(criteria, figures):
    for one in criteria:
        if not one.get("at_least", -np.inf) <= figures.get(one["figure"], np.nan) <= one.get("at_most", np.inf):
            return "go back", [one["figure"]]
    return "go", []
