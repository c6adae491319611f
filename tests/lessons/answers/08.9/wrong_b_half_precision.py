"""Wrong: the numbers are stored with 16 bits, so not all digits come back."""

import joblib
import numpy as np


def keep(model, path):
    plain = model.get_combined_model()
    state = {k: v.astype(np.float16) if getattr(v, "dtype", None) == np.float64 else v for k, v in vars(plain).items()}
    joblib.dump((type(plain), state), path)


def bring_back(path):
    kind, state = joblib.load(path)
    model = kind()
    for name, value in state.items():
        setattr(model, name, value.astype(np.float64) if getattr(value, "dtype", None) == np.float16 else value)
    return model
