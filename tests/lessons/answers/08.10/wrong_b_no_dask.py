"""Wrong: found has no result for the backend dask."""

import joblib
import sklearn.neighbors
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

images, digit = load_digits(return_X_y=True)
grid = {"n_neighbors": [1, 3, 10], "weights": ["uniform", "distance"]}


def search(backend, model, grid, X, y):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        return GridSearchCV(model, grid, cv=3).fit(X, y)


found = {}
for backend in ("threading", "loky"):
    found[backend] = search(backend, sklearn.neighbors.KNeighborsClassifier(), grid, images, digit)
