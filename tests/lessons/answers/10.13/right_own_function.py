"""Uses its own function for the results."""


def scaling(before, after, factor):
    ratio = before / after
    efficiency = ratio / factor
    return (ratio, efficiency)


gems = scaling(7.25 * 3600, 27 * 60, 128 / 4)
two = scaling(1 / 334.0, 1 / 632.8, 2)
epochs = 90 * 1_281_167
published = {
    "2 GPUs: speed-up": two[0],
    "2 GPUs: efficiency, %": 100 * two[1],
    "Summit: minutes for 90 epochs": 3 * 90 / 60,
    "Summit: images per second and card": epochs / 270 / 1536,
    "Frontera: minutes for 90 epochs": epochs / 260e3 / 60,
    "HyPar-Flow, 256 nodes: efficiency, %": 100 * 253 / 256,
    "HyPar-Flow, 512 nodes: efficiency, %": 100 * 481 / 512,
    "GEMS, 4 to 128 GPUs: speed-up": gems[0],
    "GEMS, 4 to 128 GPUs: efficiency, %": gems[1] * 100,
}
