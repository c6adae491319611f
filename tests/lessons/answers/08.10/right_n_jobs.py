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
GRID = {"n_neighbors": [1, 3, 10], "weights": ["uniform", "distance"]}
found = {name: GridSearchCV(KNeighborsClassifier(), GRID, cv=3).fit(X, y) for name in ("threading", "loky", "dask")}
