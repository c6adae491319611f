import numpy as np


def gate(criteria, figures):
    failed = []
    for one in criteria:
        try:
            value = float(figures[one["figure"]])
        except KeyError:
            value = float("nan")
        inside = np.clip(value, one.get("at_least"), one.get("at_most"))
        if inside != value:  # NaN is not equal to itself
            failed.append(one["figure"])
    return ("go back" if len(failed) > 0 else "go"), failed
