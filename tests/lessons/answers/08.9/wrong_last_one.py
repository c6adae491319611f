"""One file for all models."""

from pathlib import Path

from gpucluster import learn


def keep(model, path):
    learn.save(model, Path(path).parent / "model")
    learn.save(model, path)


def bring_back(path):
    return learn.load(Path(path).parent / "model")
