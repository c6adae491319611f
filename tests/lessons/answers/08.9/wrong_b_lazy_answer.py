"""Wrong: what comes back predicts lazily for Dask arrays, not for rows in memory."""

import dask.array as da
import joblib


class Lazy:
    def __init__(self, model):
        self.model = model

    def predict(self, rows):
        return da.asarray(rows).map_blocks(self.model.predict, drop_axis=1, dtype="int32")


def keep(model, path):
    joblib.dump(model.get_combined_model(), path)


def bring_back(path):
    return Lazy(joblib.load(path))
