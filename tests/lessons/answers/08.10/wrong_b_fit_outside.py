"""Wrong: the fit is outside the with statement, so the backend is not used."""

import joblib
import sklearn.neighbors
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

images, digit = load_digits(return_X_y=True)
grid = {"n_neighbors": [1, 3, 10], "weights": ["uniform", "distance"]}


def search(backend, model, grid, X, y):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        tried = GridSearchCV(model, grid, cv=3)
    return tried.fit(X, y)


found = {}
for backend in ("threading", "loky", "dask"):
    found[backend] = search(backend, sklearn.neighbors.KNeighborsClassifier(), grid, images, digit)
