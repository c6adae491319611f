"""Words of lines; NumPy numbers, and a tuple of rates."""

import numpy as np


def read_log(text):
    lines = [line.split() for line in text.strip().split("\n")]
    rates = np.array([words[2] for words in lines if words[0] == "Iter"], dtype=float)
    gpus = [np.int64(words[-1]) for words in lines if words[:3] == ["Number", "of", "GPUs:"]][0]
    return {
        "model": lines[0][1],
        "batch": np.int64(lines[1][2]),
        "gpus": gpus,
        "rates": tuple(rates),
        "mean": rates.mean(),
        "spread": 1.96 * np.sqrt(((rates - rates.mean()) ** 2).mean()),
        "total": rates.mean() * gpus,
    }
