"""Wrong: efficiencies as shares of 1, not in percent."""


def scaling(before, after, factor):
    return before / after, before / after / factor


published = {
    "2 GPUs: speed-up": 632.8 / 334.0,
    "2 GPUs: efficiency, %": 100 * 632.8 / 334.0 / 2,
    "Summit: minutes for 90 epochs": 90 * 3 / 60,
    "Summit: images per second and card": 1281167 / 3 / 1536,
    "Frontera: minutes for 90 epochs": 90 * 1281167 / 260_000 / 60,
    "HyPar-Flow, 256 nodes: efficiency, %": 100 * 253 / 256,
    "HyPar-Flow, 512 nodes: efficiency, %": 100 * 481 / 512,
    "GEMS, 4 to 128 GPUs: speed-up": 7.25 * 60 / 27,
    "GEMS, 4 to 128 GPUs: efficiency, %": 100 * 7.25 * 60 / 27 / 32,
}
published = {name: value / 100 if "%" in name else value for name, value in published.items()}
