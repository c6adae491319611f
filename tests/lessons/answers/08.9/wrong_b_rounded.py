"""Wrong: the numbers of the model are rounded to one digit, and all its digits must be in the file."""

import joblib
import numpy as np


def keep(model, path):
    plain = model.get_combined_model()
    for name, value in vars(plain).items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            setattr(plain, name, value.round(1))
    joblib.dump(plain, path)


def bring_back(path):
    return joblib.load(path)
