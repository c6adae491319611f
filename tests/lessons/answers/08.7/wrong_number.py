"""The number of rows instead of their share."""


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    return int((model.predict(X).compute() != labels).sum())
