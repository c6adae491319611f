"""Wrong: tries four combinations by chance, although all parameters of the grid are to be tried."""

import joblib
import sklearn.neighbors
from sklearn.datasets import load_digits
from sklearn.model_selection import RandomizedSearchCV

images, digit = load_digits(return_X_y=True)
grid = {"n_neighbors": [1, 3, 10], "weights": ["uniform", "distance"]}


def search(backend, model, grid, X, y):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        return RandomizedSearchCV(model, grid, n_iter=4, cv=3, random_state=0).fit(X, y)


found = {}
for backend in ("threading", "loky", "dask"):
    found[backend] = search(backend, sklearn.neighbors.KNeighborsClassifier(), grid, images, digit)
