"""Wrong: the arrays are in a second file beside the first, although all of the model is in that one file."""

import pickle

import numpy as np


def keep(model, path):
    plain = model.get_combined_model()
    arrays = {name: value for name, value in vars(plain).items() if isinstance(value, np.ndarray)}
    np.savez(f"{path}.arrays.npz", **arrays)
    rest = {name: value for name, value in vars(plain).items() if name not in arrays}
    with open(path, "wb") as file:
        pickle.dump((type(plain), rest, f"{path}.arrays.npz"), file)


def bring_back(path):
    with open(path, "rb") as file:
        kind, rest, place = pickle.load(file)
    model = kind()
    vars(model).update(rest)
    with np.load(place) as arrays:
        vars(model).update({name: arrays[name] for name in arrays.files})
    return model
