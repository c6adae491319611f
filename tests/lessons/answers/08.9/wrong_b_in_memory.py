"""Wrong: the model stays in a dictionary of this process and the file is only a name, so not all of it is in that one file."""

from pathlib import Path

KEPT = {}


def keep(model, path):
    KEPT[Path(path).name] = model.get_combined_model()
    Path(path).write_text("kept")


def bring_back(path):
    return KEPT[Path(path).name]
