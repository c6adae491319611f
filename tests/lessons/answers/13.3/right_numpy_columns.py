"""Right: a NumPy matrix first, then a dictionary of columns; share_below with np.unique."""

import numpy as np
import pandas as pd


def read_dmon(text):
    lines = list(filter(None, map(str.strip, text.splitlines())))
    first = next(number for number, line in enumerate(lines) if line[0] == "#")
    names, units = (lines[first + more][1:].split() for more in (0, 1))
    figures = [line.split() for line in lines if line[0] != "#"]
    matrix = np.array([[np.nan if w == "-" else w for w in row] for row in figures], dtype=float).reshape(
        -1, len(names)
    )
    return pd.DataFrame({name: matrix[:, at] for at, name in enumerate(names)}), dict(zip(names, units, strict=False))


def share_below(table, limit):
    device, sm = table.iloc[:, 0].to_numpy(), table["sm"].to_numpy()
    known = ~np.isnan(sm)
    return {
        int(one): np.count_nonzero(sm[known & (device == one)] < limit) / np.count_nonzero(known & (device == one))
        for one in np.unique(device[known])
    }
