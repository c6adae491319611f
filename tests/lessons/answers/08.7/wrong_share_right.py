"""The share of the rows that are right."""


def row_labels(model, X):
    return model.predict(X)


def share_wrong(labels, model, X):
    return float((model.predict(X).compute() == labels).mean())
