"""A file with a description of the model."""

from pathlib import Path


def keep(model, path):
    Path(path).write_text(repr(model))


def bring_back(path):
    return Path(path).read_text()
