"""Right: plain lists, floats by hand; counting in two dictionaries."""

import math

import pandas as pd


def read_dmon(text):
    header, rows = [], []
    for line in text.split("\n"):
        words = line.replace("#", " ").split()
        if not words:
            continue
        if line.lstrip().startswith("#"):
            header.append(words)
        else:
            rows.append([math.nan if word == "-" else float(word) for word in words])
    names, units = header[0], header[1]
    return pd.DataFrame(rows, columns=names, dtype=float), dict(zip(names, units, strict=False))


def share_below(table, limit):
    below, known = {}, {}
    for device, value in zip(table[table.columns[0]].tolist(), table["sm"].tolist(), strict=False):
        if value != value:
            continue
        device = int(device)
        known[device] = known.get(device, 0) + 1
        below[device] = below.get(device, 0) + (value < limit)
    return {device: below[device] / count for device, count in known.items()}
