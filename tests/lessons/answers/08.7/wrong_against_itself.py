"""Compares labels_ with itself."""


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    return float((model.labels_ != labels).mean())
