import numpy as np
import pandas as pd


def lift(chance, late, share):
    # each flight's expected lateness is the mean of the flights with the same chance; then the order is of no account
    table = pd.DataFrame({"chance": chance, "late": np.asarray(late).astype(int)})
    table["expected"] = table.groupby("chance")["late"].transform("mean")
    n = max(1, int(np.floor(round(share * len(table), 9))))
    return table.sort_values("chance", ascending=False)["expected"].head(n).mean() / table["late"].mean()
