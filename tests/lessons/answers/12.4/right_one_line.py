"""Style: very short, NumPy float64."""

import numpy as np


def one_way(link):
    bits = 8 if link["unit"][1] == "B" else 1
    lanes = np.divide(*link["encoding"]) * link["lanes"] if link["unit"] == "GT/s" else 1.0
    return np.float64(link["value"]) * bits * lanes * 10**9 / 8 / (1 + bool(link.get("both_directions", False)))


def seconds_to_move(n_bytes, link):
    return np.float64(n_bytes) / one_way(link)
