# %% right columns
import numpy as np
import pandas as pd

measured = pd.DataFrame(
    {"copies": [1, 4, 16], "rows": [336776, 1347104, 5388416], "pandas": [0.12, 0.5, 2.1], "Dask": [0.3, 0.52, 1.3]}
)


def conclude(measured):
    ratio = measured["Dask"] / measured["pandas"]
    winner = np.where(ratio > 1, "pandas", "Dask").astype(object)
    winner[(ratio < 1.1) & (1 / ratio < 1.1)] = "equal"
    return dict(zip(measured["copies"], winner, strict=True))

# %% right idxmin
# ~ ratio = measured["Dask"] / measured["pandas"] => table = measured.set_index("copies")[["pandas", "Dask"]]
# ~ winner = np.where(ratio > 1, "pandas", "Dask").astype(object) => winners = table.idxmin(axis=1)
# ~ winner[(ratio < 1.1) & (1 / ratio < 1.1)] => winners[table.max(axis=1) / table.min(axis=1) < 1.1]
# ~ dict(zip(measured["copies"], winner, strict=True)) => winners.to_dict()

# %% wrong larger_time, edit of right idxmin
# fails: The winner follows from the two times (a random table)
# ~ winners = table.idxmin(axis=1) => winners = table.idxmax(axis=1)

# %% wrong fixed, edit of right columns
# fails: There is one entry for each number of copies
def conclude(measured):
    return {1: "pandas", 4: "pandas", 16: "Dask"}

# %% wrong b_three_rows: Looks at the three sizes of the notebook only, not at all rows of the table.
# fails: It runs without an error: IndexError
# ~ dict(zip(measured["copies"], winner, strict=True)) => {copies: winner[row] for row, copies in enumerate((1, 4, 16))}

# %% wrong never_measured
# fails: All six times were measured
# ~ [0.12, 0.5, 2.1] => [0.12, 0.5, float("nan")]

# %% wrong of_the_slower, edit of right idxmin
# fails: The winner follows from the two times (a random table)
# ~ table.max(axis=1) / table.min(axis=1) < 1 => 1 - table.min(axis=1) / table.max(axis=1) < 0
