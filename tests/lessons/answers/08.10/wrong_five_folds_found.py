"""Five folds in found."""

import joblib
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier


def search(backend, model, grid, X, y):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        return GridSearchCV(model, grid, cv=3).fit(X, y)


X, y = load_iris(return_X_y=True)
GRID = {"n_neighbors": [1, 3, 10], "weights": ["uniform", "distance"]}
found = {name: GridSearchCV(KNeighborsClassifier(), GRID, cv=5).fit(X, y) for name in ("threading", "loky", "dask")}
