"""The plain model, with pickle."""

import pickle
from pathlib import Path


def keep(model, path):
    Path(path).write_bytes(pickle.dumps(model.get_combined_model()))


def bring_back(path):
    return pickle.loads(Path(path).read_bytes())
