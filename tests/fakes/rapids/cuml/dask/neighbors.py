"""SIMULATED."""

import numpy as np
import sklearn.neighbors

from .simulated import Simulated


def _plain(kwargs):
    return {name: value for name, value in kwargs.items() if name not in {"streams_per_handle", "batch_size"}}


class NearestNeighbors(Simulated):
    known = {"n_neighbors", "metric", "streams_per_handle", "batch_size"}

    def local(self):
        return sklearn.neighbors.NearestNeighbors(**_plain(self.kwargs), algorithm="brute")

    def kneighbors(self, X, n_neighbors=None, return_distance=True):
        self._note("kneighbors", n_neighbors=n_neighbors)
        found = self._model.kneighbors(np.asarray(X.compute()), n_neighbors)
        return found if return_distance else found[1]


class KNeighborsClassifier(NearestNeighbors):
    known = {"n_neighbors", "metric", "weights", "streams_per_handle", "batch_size"}
    takes_y = True
    label_dtypes = ("int32", "int64")

    def local(self):
        return sklearn.neighbors.KNeighborsClassifier(**_plain(self.kwargs), algorithm="brute")


class KNeighborsRegressor(KNeighborsClassifier):
    label_dtypes = ()

    def local(self):
        return sklearn.neighbors.KNeighborsRegressor(**_plain(self.kwargs), algorithm="brute")
