"""Wrong: 50 % more still counts as "equal"; the text says less than 10 %."""

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
        p, d = row.pandas, row.Dask
        answer[row.copies] = "equal" if max(p, d) < 1.5 * min(p, d) else "pandas" if p < d else "Dask"
    return answer
