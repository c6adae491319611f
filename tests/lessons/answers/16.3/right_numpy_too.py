"""Right: NumPy per question, mean of the differences."""

import numpy as np


def habit_gain(questions, score):
    gains = []
    for question in questions:
        points = np.array([score(text) for text in question["options"]])
        picked = points == points.max()
        gains.append(picked[question["right"]] / picked.sum() - 1 / picked.size)
    return float(np.mean(gains)) if gains else 0.0
