"""The file has the name of another one, which has the model."""

from pathlib import Path

from gpucluster import learn


def keep(model, path):
    learn.save(model, path + ".real")
    Path(path).write_text(path + ".real")


def bring_back(path):
    return learn.load(Path(path).read_text())
