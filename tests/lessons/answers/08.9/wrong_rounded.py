"""Centres rounded to half precision."""

import numpy as np


class Groups:
    def __init__(self, centres):
        self.centres = centres

    def predict(self, X):
        return np.stack([((X - c) ** 2).sum(axis=1) for c in self.centres], axis=1).argmin(axis=1)


class Line:
    def __init__(self, slope, start):
        self.slope, self.start = slope, start

    def predict(self, X):
        return X @ self.slope + self.start


def keep(model, path):
    plain = model.get_combined_model()
    names = ("cluster_centers_",) if hasattr(plain, "cluster_centers_") else ("coef_", "intercept_")
    with open(path, "wb") as file:
        np.savez_compressed(
            file,
            *(
                np.asarray(getattr(plain, name)).astype(np.float16 if name.startswith("cl") else float)
                for name in names
            ),
        )


def bring_back(path):
    with np.load(path) as file:
        arrays = [file[name] for name in sorted(file.files)]
    return Groups(*arrays) if len(arrays) == 1 else Line(*arrays)
