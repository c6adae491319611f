"""Writes to another path."""

from gpucluster import learn


def keep(model, path):
    learn.save(model, path + ".zip")


def bring_back(path):
    return learn.load(path + ".zip")
