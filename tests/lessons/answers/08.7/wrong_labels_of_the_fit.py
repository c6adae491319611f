"""Trusts labels_."""


def row_labels(model, X):
    return model.labels_


def share_wrong(labels, model, X):
    return float((model.predict(X).compute() != labels).mean())
