"""Right: the plain model as a compressed pickle."""

import gzip
import pickle


def keep(model, path):
    with gzip.open(path, "wb") as file:
        pickle.dump(model.get_combined_model(), file, protocol=pickle.HIGHEST_PROTOCOL)


def bring_back(path):
    with gzip.open(path, "rb") as file:
        return pickle.load(file)
