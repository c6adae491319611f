"""Wrong: writes to a file with another name (.joblib added), so the file that was asked for is not there."""

import joblib


def keep(model, path):
    joblib.dump(model.get_combined_model(), f"{path}.joblib")


def bring_back(path):
    return joblib.load(f"{path}.joblib")
