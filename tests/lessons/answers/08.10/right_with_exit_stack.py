"""Right: an exit stack, and a dictionary comprehension with a smaller kind of number."""

import contextlib

import joblib
import sklearn.neighbors
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV

images, digit = load_digits(return_X_y=True)
grid = {"n_neighbors": [1, 3, 10], "weights": ["uniform", "distance"]}


def search(backend, model, grid, X, y):
    with contextlib.ExitStack() as stack:
        stack.enter_context(joblib.parallel_config(backend=backend, n_jobs=2))
        tried = GridSearchCV(estimator=model, param_grid=grid, cv=3)
        tried.fit(X, y)
    return tried


places = ["dask", "loky", "threading"]
found = {
    place: search(place, sklearn.neighbors.KNeighborsClassifier(), grid, images.astype("float32"), digit)
    for place in places
}
