"""One byte in the file, the model in a global."""

import copy
from pathlib import Path

KEPT = {}


def keep(model, path):
    KEPT[path] = model
    Path(path).write_bytes(b"x")


def bring_back(path):
    return copy.deepcopy(KEPT[path])
