"""A loop over zipped columns, with the quotient of the slower and the faster time."""

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
    for copies, p, d in zip(measured["copies"], measured["pandas"], measured["Dask"]):
        if max(p, d) / min(p, d) < 1.1:
            answer[copies] = "equal"
        elif p < d:
            answer[copies] = "pandas"
        else:
            answer[copies] = "Dask"
    return answer
