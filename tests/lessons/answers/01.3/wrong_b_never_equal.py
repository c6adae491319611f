"""Wrong: never says "equal", although two times always differ a little."""

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
    return {row.copies: "pandas" if row.pandas < row.Dask else "Dask" for row in measured.itertuples()}
