"""The number of jobs is given to the search."""

import joblib
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier


def search(backend, model, grid, X, y):
    result = GridSearchCV(model, grid, cv=3, n_jobs=2, refit=True)
    with joblib.parallel_backend(backend):
        result.fit(X, y)
    return result


X, y = load_iris(return_X_y=True)
once = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 40]}, cv=3).fit(X, y)
found = dict.fromkeys(("threading", "loky", "dask"), once)
