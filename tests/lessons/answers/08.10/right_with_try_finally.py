"""Right: the configuration is set and taken back by hand, and the results come from map and zip."""

import functools

import joblib
import sklearn.neighbors
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

images, digit = load_digits(return_X_y=True)
grid = {"n_neighbors": [1, 3, 10], "weights": ["uniform", "distance"]}


def search(backend, model, grid, X, y):
    config = joblib.parallel_config(backend=backend, n_jobs=2)
    try:
        return GridSearchCV(model, grid, cv=3, n_jobs=2).fit(X, y)
    finally:
        config.unregister()


kinds = ("threading", "loky", "dask")
model = sklearn.neighbors.KNeighborsClassifier()
found = dict(zip(kinds, map(functools.partial(search, model=model, grid=grid, X=images, y=digit), kinds)))
