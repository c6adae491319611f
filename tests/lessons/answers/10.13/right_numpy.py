"""NumPy numbers, and a list for two things."""

import numpy as np


def scaling(before, after, factor):
    speed_up = np.divide(before, after)
    return [speed_up, speed_up / np.float64(factor)]


published = {
    "2 GPUs: speed-up": 632.8 / 334.0,
    "2 GPUs: efficiency, %": 100 * 632.8 / 334.0 / 2,
    "Summit: minutes for 90 epochs": 3 * 90 / 60,
    "Summit: images per second and card": 1_281_167 / 3 / 1536,
    "Frontera: minutes for 90 epochs": 1_281_167 * 90 / 260_000 / 60,
    "HyPar-Flow, 256 nodes: efficiency, %": np.float64(98.828),
    "HyPar-Flow, 512 nodes: efficiency, %": np.float32(93.9453),
    "GEMS, 4 to 128 GPUs: speed-up": 7.25 * 60 / 27,
    "GEMS, 4 to 128 GPUs: efficiency, %": 50.35,
}
