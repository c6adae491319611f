import pandas as pd

# %% right to_numeric
def read_dmon(text):
    lines = text.strip().splitlines()
    names = lines[0].strip("# ").split()
    units = dict(zip(names, lines[1].strip("# ").split(), strict=False))
    rows = []
    for line in lines:
        if line.strip() and "#" not in line:
            rows.append(line.split())
    table = pd.DataFrame(rows, columns=names)
    return table.apply(pd.to_numeric, errors="coerce").astype("float64"), units


def share_below(table, limit):
    result = {}
    for device in table["gpu"].unique():
        sm = table.loc[table["gpu"] == device, "sm"].dropna()
        if len(sm):
            result[int(device)] = float((sm < limit).sum() / len(sm))
    return result

# %% right read_csv: pandas reads it, once the headers are out of the way.
from io import StringIO


def read_dmon(text):
    header = [line[1:].split() for line in text.splitlines() if line.startswith("#")]
    body = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    table = pd.read_csv(StringIO(body), sep=r"\s+", names=header[0], na_values="-", dtype=float)
    return table, dict(zip(header[0], header[1], strict=False))


def share_below(table, limit):
    shares = {}
    for device, part in table.dropna(subset="sm").groupby("gpu"):
        shares[int(device)] = (part.sm < limit).mean()
    return shares

# %% wrong all_devices_together
# fails: The share counts only measured samples, per device, strictly below the limit
# ~ sm = table.loc[table["gpu"] == device, "sm"] => sm = table["sm"]

# %% wrong changes_the_table
# fails: Inputs are not modified
# - def share_below(table, limit):
# + def share_below(table, limit):
# +     table.dropna(subset=["sm"], inplace=True)

# %% wrong dash_is_zero
# fails: The figures are those of the log, with NaN for -
# ~ table.apply(pd.to_numeric, errors="coerce") => table.replace("-", 0)

# %% wrong drops_lines_with_a_dash
# fails: There is one row for each line of figures, and none for headers and empty lines
# ~ in line: => in line and "-" not in line.split():

# %% wrong fixed_columns
# fails: It runs without an error: ValueError
# -     names = lines[0].strip("# ").split()
# +     names = ["gpu", "pwr", "gtemp", "mtemp", "sm", "mem", "fb", "rxpci", "txpci"]

# %% wrong text_columns, edit of the solution
# fails: All columns are of type float
# ~ nan).astype(float) => nan)
import numpy as np

# %% wrong units_as_list, edit of the solution
# fails: The units map each name to its unit
# ~ dict(zip(names, units)) => units
import numpy as np
