"""Right: NumPy numbers, made with scaling itself; times per image as the times."""

import numpy as np


def scaling(before, after, factor):
    speed_up = np.divide(before, after)
    return speed_up, speed_up / factor


_two = scaling(1 / 334.0, 1 / 632.8, 2)
_gems = scaling(7.25, 27 / 60, 128 // 4)
published = dict(
    zip(
        (
            "2 GPUs: speed-up",
            "2 GPUs: efficiency, %",
            "Summit: minutes for 90 epochs",
            "Summit: images per second and card",
            "Frontera: minutes for 90 epochs",
            "HyPar-Flow, 256 nodes: efficiency, %",
            "HyPar-Flow, 512 nodes: efficiency, %",
            "GEMS, 4 to 128 GPUs: speed-up",
            "GEMS, 4 to 128 GPUs: efficiency, %",
        ),
        (
            _two[0],
            _two[1] * 100,
            np.float64(4.5),
            np.float64(1281167) / (3 * 1536),
            1281167 * 1.5 / 260e3,
            np.float64(25300) / 256,
            np.float64(48100) / 512,
            _gems[0],
            _gems[1] * 100,
        ),
        strict=False,
    )
)
