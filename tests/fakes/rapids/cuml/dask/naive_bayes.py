"""SIMULATED."""

import dask.array as da
import sklearn.naive_bayes

from .simulated import Simulated


class MultinomialNB(Simulated):
    known = {"alpha", "fit_prior", "class_prior"}
    takes_y = True
    label_dtypes = ("int32", "int64")

    def fit(self, X, y):
        if not isinstance(X, da.Array):
            raise ValueError("Only dask.Array is supported for X")
        return super().fit(X, y)

    def local(self):
        return sklearn.naive_bayes.MultinomialNB(**self.kwargs)
