import pandas as pd

measured = pd.DataFrame(
    {"copies": [1, 4, 16], "rows": [336776, 1347104, 5388416], "pandas": [0.12, 0.5, 2.1], "Dask": [0.3, 0.52, 1.3]}
)


def conclude(measured):
    result = {}
    for _, row in measured.iterrows():
        quick, slow = min(row["pandas"], row["Dask"]), max(row["pandas"], row["Dask"])
        if slow < 1.1 * quick:
            result[int(row["copies"])] = "equal"
        elif row["pandas"] < row["Dask"]:
            result[int(row["copies"])] = "pandas"
        else:
            result[int(row["copies"])] = "Dask"
    return result
