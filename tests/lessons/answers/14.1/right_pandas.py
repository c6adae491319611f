"""Style: pandas' columns and numpy.select."""

import numpy as np
import pandas as pd


def places(steps, login_minutes=10):
    t = pd.DataFrame(list(steps), columns=["name", "internet", "gpus", "minutes"])
    login = (t["gpus"] == 0) & (t["minutes"] <= login_minutes)
    compute = ~t["internet"].astype(bool)
    return [str(p) for p in np.select([login, compute], ["login", "compute"], "split")]
