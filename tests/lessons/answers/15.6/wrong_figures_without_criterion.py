import numpy as np


def gate(criteria, figures):
    known = {one["figure"]: one for one in criteria}
    failed = [
        name
        for name, value in figures.items()
        if name not in known or not known[name].get("at_least", -np.inf) <= value <= known[name].get("at_most", np.inf)
    ]
    return ("go back" if failed else "go"), failed
