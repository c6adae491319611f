"""SIMULATED."""

import sklearn.linear_model

from .simulated import Simulated


class LinearRegression(Simulated):
    known = {"fit_intercept", "algorithm"}
    takes_y = True

    def local(self):
        return sklearn.linear_model.LinearRegression(**self.kwargs)


class CD(Simulated):
    known = {"alpha", "l1_ratio", "fit_intercept", "max_iter", "tol", "shuffle"}
    takes_y = True

    def local(self):
        return sklearn.linear_model.ElasticNet(**{k: v for k, v in self.kwargs.items() if k != "shuffle"})


class ElasticNet(Simulated):
    """Fits with a solver, and has no fitted attributes itself, like the real one."""

    known = {"alpha", "l1_ratio", "fit_intercept", "max_iter", "tol", "selection"}

    def __init__(self, *, client=None, **kwargs):
        super().__init__(client=client, **kwargs)
        kwargs["shuffle"] = kwargs.pop("selection", "cyclic") == "random"
        self.solver = CD(client=client, **kwargs)

    def fit(self, X, y):
        self.solver.fit(X, y)
        return self

    def predict(self, X, delayed=True):
        return self.solver.predict(X)

    def get_combined_model(self):
        return None


class Lasso(ElasticNet):
    """Passes its arguments to its solver, whose default mixture of penalties is not Lasso's: seen on an H100."""

    def __init__(self, *, client=None, **kwargs):
        super().__init__(client=client, **kwargs)
        self.solver.kwargs.setdefault("l1_ratio", 0.15)


class LogisticRegression(Simulated):
    known = {"C", "fit_intercept", "max_iter", "tol", "linesearch_max_iter", "standardization"}
    takes_y = True
    label_dtypes = ("float32",)

    def local(self):
        return sklearn.linear_model.LogisticRegression(**self.kwargs)
