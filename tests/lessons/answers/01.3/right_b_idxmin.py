"""idxmin and where on a table that is indexed by copies."""

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
    times = measured.set_index("copies")[["pandas", "Dask"]]
    clear = times.max(axis=1) / times.min(axis=1) >= 1.1
    return times.idxmin(axis=1).where(clear, "equal").to_dict()
