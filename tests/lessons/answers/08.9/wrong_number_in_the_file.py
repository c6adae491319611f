"""The file says which model of a global list it is."""

import copy
from pathlib import Path

KEPT = []


def keep(model, path):
    KEPT.append(model)
    Path(path).write_text(str(len(KEPT) - 1))


def bring_back(path):
    text = Path(path).read_text()
    return copy.deepcopy(KEPT[int(text) if text.isdigit() else -1])
