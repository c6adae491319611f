"""The two functions of the library."""

from gpucluster import learn


def keep(model, path):
    return learn.save(model, path)


def bring_back(path):
    return learn.load(path)
