import numpy as np


def habit_gain(questions, score):
    gains = []
    for question in questions:
        values = np.array([score(option) for option in question["options"]])
        best = values == values.max()
        gains.append(best[question["right"]] / best.sum() - 1 / values.size)
    return np.mean(gains)
