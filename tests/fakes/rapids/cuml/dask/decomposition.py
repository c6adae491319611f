"""SIMULATED."""

import sklearn.decomposition

from .simulated import Simulated


class PCA(Simulated):
    known = {"n_components", "whiten", "svd_solver", "tol", "iterated_power"}

    def local(self):
        assert self.kwargs["svd_solver"] in {"full", "jacobi"}
        return sklearn.decomposition.PCA(self.kwargs["n_components"], whiten=self.kwargs["whiten"], svd_solver="full")


class TruncatedSVD(Simulated):
    known = {"n_components", "algorithm", "tol", "n_iter"}

    def local(self):
        assert self.kwargs["algorithm"] in {"full", "jacobi"}
        return sklearn.decomposition.TruncatedSVD(self.kwargs["n_components"], algorithm="arpack")
