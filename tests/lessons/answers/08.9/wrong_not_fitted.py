"""Keeps the parameters, not what was learnt."""

import joblib
from sklearn.base import clone


def keep(model, path):
    joblib.dump(clone(model.get_combined_model()), path)


def bring_back(path):
    return joblib.load(path)
