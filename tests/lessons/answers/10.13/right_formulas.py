"""Right: everything as formulas of the slide's numbers."""


def scaling(before, after, factor):
    speed_up = before / after
    return speed_up, speed_up / factor


_images = 1_281_167
published = {
    "2 GPUs: speed-up": 632.8 / 334.0,
    "2 GPUs: efficiency, %": 100 * 632.8 / 334.0 / 2,
    "Summit: minutes for 90 epochs": 90 * 3 / 60,
    "Summit: images per second and card": _images / 3 / 1536,
    "Frontera: minutes for 90 epochs": 90 * _images / 260_000 / 60,
    "HyPar-Flow, 256 nodes: efficiency, %": 100 * 253 / 256,
    "HyPar-Flow, 512 nodes: efficiency, %": 100 * 481 / 512,
    "GEMS, 4 to 128 GPUs: speed-up": 7.25 * 60 / 27,
    "GEMS, 4 to 128 GPUs: efficiency, %": 100 * 7.25 * 60 / 27 / 32,
}
