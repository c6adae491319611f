"""Three digits are enough."""


def scaling(before, after, factor):
    return before / after, before / after / factor


published = {
    "2 GPUs: speed-up": 1.895,
    "2 GPUs: efficiency, %": 94.7,
    "Summit: minutes for 90 epochs": 4.5,
    "Summit: images per second and card": 278,
    "Frontera: minutes for 90 epochs": 7.39,
    "HyPar-Flow, 256 nodes: efficiency, %": 98.8,
    "HyPar-Flow, 512 nodes: efficiency, %": 93.9,
    "GEMS, 4 to 128 GPUs: speed-up": 16.1,
    "GEMS, 4 to 128 GPUs: efficiency, %": 50.3,
}
