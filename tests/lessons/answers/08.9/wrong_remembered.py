"""Remembers the model, and writes an empty file."""

from pathlib import Path

KEPT = {}


def keep(model, path):
    KEPT[path] = model
    Path(path).touch()


def bring_back(path):
    return KEPT[path]
