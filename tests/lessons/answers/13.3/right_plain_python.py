"""Without pandas until the end."""

import math

import pandas as pd


def read_dmon(text):
    heads, columns = [], {}
    for line in text.split("\n"):
        cells = line.split()
        if not cells:
            continue
        if cells[0].startswith("#"):
            cells = line.replace("#", " ").split()
            if len(heads) < 2:
                heads.append(cells)
            continue
        for name, cell in zip(heads[0], cells, strict=False):
            columns.setdefault(name, []).append(math.nan if cell == "-" else float(cell))
    units = dict(zip(*heads, strict=False))
    return pd.DataFrame(columns), units


def share_below(table, limit):
    counts = {}
    for device, sm in zip(table.iloc[:, 0], table["sm"], strict=False):
        if not math.isnan(sm):
            low, all_of_it = counts.get(int(device), (0, 0))
            counts[int(device)] = (low + (sm < limit), all_of_it + 1)
    return {device: low / total for device, (low, total) in counts.items()}
