"""Wrong: "equal" means less than 0.1 seconds apart here, not less than 10 %."""

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
        if abs(row.pandas - row.Dask) < 0.1:
            answer[row.copies] = "equal"
        else:
            answer[row.copies] = "pandas" if row.pandas < row.Dask else "Dask"
    return answer
