import numpy as np

PER_UNIT = {"GT/s": 1e9 / 8, "Gb/s": 1e9 / 8, "GB/s": 1e9}


def one_way(link):
    data, bits = link["encoding"]
    lanes = link["lanes"] if link["unit"] == "GT/s" else 1
    share = data / bits if link["unit"] == "GT/s" else 1
    directions = 1 + link["both_directions"]
    return np.float64(link["value"]) * PER_UNIT[link["unit"]] * lanes * share / directions


def seconds_to_move(n_bytes, link):
    return np.divide(n_bytes, one_way(link))
