"""Wrong: a small difference is "equal" only if pandas was faster; a slightly faster Dask wins."""

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
    for row in measured.itertuples():
        if row.Dask < row.pandas:
            answer[row.copies] = "Dask"
        elif row.Dask / row.pandas < 1.1:
            answer[row.copies] = "equal"
        else:
            answer[row.copies] = "pandas"
    return answer
