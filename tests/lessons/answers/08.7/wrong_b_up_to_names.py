"""Wrong: compares groups whatever they are called (1 - ARI), not each row with its label."""

from gpucluster.lessons import as_numpy
from sklearn.metrics import adjusted_rand_score


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    return 1 - adjusted_rand_score(as_numpy(model.predict(X).compute()), labels)
