"""Right: all rows at once, with numpy."""

import numpy as np
import pandas as pd

measured = pd.DataFrame(
    {
        "copies": [1, 4, 16],
        "rows": [336776, 1347104, 5388416],
        "pandas": [0.0955, 0.353, 1.365],
        "Dask": [0.3652, 0.4164, 1.4465],
    }
)


def conclude(measured):
    times = measured[["pandas", "Dask"]].to_numpy(float)
    close = times.max(axis=1) < times.min(axis=1) * 1.1
    names = np.select([close, times[:, 0] < times[:, 1]], ["equal", "pandas"], "Dask")
    return {int(copies): str(name) for copies, name in zip(measured["copies"], names)}
