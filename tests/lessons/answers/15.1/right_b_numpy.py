"""Right: numbers of NumPy."""

import numpy as np

names = ["late_from", "decide_before", "share", "at_least", "worst_month"]
charter = {"task": "classification", "figure": "lift", **dict(zip(names, np.array([30, 60, 0.1, 3, 2.5])))}
tasks = dict(
    zip(
        [
            "late or not",
            "minutes of delay",
            "kinds of weather",
            "how many flights were cancelled",
            "groups of airports",
            "which of five causes",
        ],
        ["classification", "regression", "clustering", "no model", "clustering", "classification"],
    )
)
