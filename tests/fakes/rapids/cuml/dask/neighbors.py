"""SIMULATED."""

import numpy as np
import sklearn.neighbors

from .simulated import Simulated


class NearestNeighbors(Simulated):
    known = {"n_neighbors", "metric"}

    def local(self):
        return sklearn.neighbors.NearestNeighbors(**self.kwargs, algorithm="brute")

    def kneighbors(self, X, n_neighbors=None, return_distance=True):
        self._note("kneighbors", n_neighbors=n_neighbors)
        found = self._model.kneighbors(np.asarray(X.compute()), n_neighbors)
        return found if return_distance else found[1]


class KNeighborsClassifier(NearestNeighbors):
    known = {"n_neighbors", "metric", "weights"}
    takes_y = True
    label_dtypes = ("int32", "int64")

    def local(self):
        return sklearn.neighbors.KNeighborsClassifier(**self.kwargs, algorithm="brute")


class KNeighborsRegressor(KNeighborsClassifier):
    label_dtypes = ()

    def local(self):
        return sklearn.neighbors.KNeighborsRegressor(**self.kwargs, algorithm="brute")
