"""Right: the plain scikit-learn model, written with joblib."""

import joblib


def keep(model, path):
    joblib.dump(model.get_combined_model(), path)


def bring_back(path):
    return joblib.load(path)
