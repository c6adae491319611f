"""Wrong: rounds the quotient to one digit, so 6 % more is not "equal" any longer."""

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
        quotient = round(row.pandas / row.Dask, 1)
        answer[row.copies] = "equal" if quotient == 1 else "Dask" if quotient > 1 else "pandas"
    return answer
