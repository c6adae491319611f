"""Wrong: looks at the three sizes of the notebook only, not at all rows of the table."""

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
    answer = {}
    for i, copies in enumerate((1, 4, 16)):
        p, d = measured["pandas"].iloc[i], measured["Dask"].iloc[i]
        answer[copies] = "equal" if max(p, d) / min(p, d) < 1.1 else "pandas" if p < d else "Dask"
    return answer
