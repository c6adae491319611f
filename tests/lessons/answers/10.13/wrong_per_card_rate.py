"""Two cards are compared by the rate of one."""


def scaling(before, after, factor):
    return before / after, before / after / factor


published = {
    "2 GPUs: speed-up": 316.4 / 334.0,
    "2 GPUs: efficiency, %": 100 * 632.8 / 334.0 / 2,
    "Summit: minutes for 90 epochs": 3 * 90 / 60,
    "Summit: images per second and card": 1_281_167 / 3 / 1536,
    "Frontera: minutes for 90 epochs": 1_281_167 * 90 / 260_000 / 60,
    "HyPar-Flow, 256 nodes: efficiency, %": 100 * 253 / 256,
    "HyPar-Flow, 512 nodes: efficiency, %": 100 * 481 / 512,
    "GEMS, 4 to 128 GPUs: speed-up": 7.25 * 60 / 27,
    "GEMS, 4 to 128 GPUs: efficiency, %": 100 * 7.25 * 60 / 27 / 32,
}
