"""SIMULATED."""

import sklearn.ensemble

from .simulated import Simulated

_KNOWN = {
    "n_estimators", "split_criterion", "bootstrap", "max_samples", "max_depth", "max_leaves", "max_features", "n_bins",
    "min_samples_leaf", "min_samples_split", "min_impurity_decrease", "random_state", "n_streams",
}  # fmt: skip


def _local(kwargs, **changed):
    same = {name: kwargs[name] for name in ("n_estimators", "max_depth", "max_features", "bootstrap", "random_state")}
    return {**same, **changed}


class RandomForestClassifier(Simulated):
    known = _KNOWN
    takes_y = True
    label_dtypes = ("int32", "int64")

    def local(self):
        assert self.kwargs["max_leaves"] == -1
        return sklearn.ensemble.RandomForestClassifier(**_local(self.kwargs, criterion=self.kwargs["split_criterion"]))


class RandomForestRegressor(Simulated):
    known = _KNOWN
    takes_y = True

    def local(self):
        assert self.kwargs["split_criterion"] == "mse"
        return sklearn.ensemble.RandomForestRegressor(**_local(self.kwargs))
