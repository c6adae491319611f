"""The backend is registered by name; the search is set up first."""

import joblib
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier


def search(backend, model, grid, X, y):
    result = GridSearchCV(estimator=model, param_grid=[grid], cv=StratifiedKFold(3), error_score="raise")
    with joblib.parallel_config(backend, n_jobs=-1):
        result.fit(X=X, y=y)
    return result


X, y = load_iris(return_X_y=True)
GRID = {"n_neighbors": [1, 3, 10], "weights": ["uniform", "distance"]}
found = {name: GridSearchCV(KNeighborsClassifier(), GRID, cv=3).fit(X, y) for name in ("threading", "loky", "dask")}
