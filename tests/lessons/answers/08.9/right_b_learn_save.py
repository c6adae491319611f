"""Right: save and load of gpucluster.learn."""

from gpucluster import learn


def keep(model, path):
    learn.save(model, path)


def bring_back(path):
    return learn.load(path)
