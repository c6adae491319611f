"""Wrong: what comes back sends the rows to a worker and predicts there."""

import joblib
from distributed import get_client


def keep(model, path):
    joblib.dump(model.get_combined_model(), path)


class Remote:
    def __init__(self, model):
        self.model = model

    def predict(self, rows):
        return get_client().submit(self.model.predict, rows, pure=False).result()


def bring_back(path):
    return Remote(joblib.load(path))
