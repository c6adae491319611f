import pandas as pd

measured = pd.DataFrame(
    {"copies": [1, 4, 16], "rows": [336776, 1347104, 5388416], "pandas": [0.12, 0.5, 2.1], "Dask": [0.3, 0.52, 1.3]}
)


def conclude(measured):
    result = {}
    for row in measured.to_dict("records"):
        result[row["copies"]] = "equal" if row["Dask"] < 1.1 * row["pandas"] else "pandas"
    return result
