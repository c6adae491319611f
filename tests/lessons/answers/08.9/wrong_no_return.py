"""Reads the file and returns nothing."""

from gpucluster import learn


def keep(model, path):
    learn.save(model, path)


def bring_back(path):
    learn.load(path)
