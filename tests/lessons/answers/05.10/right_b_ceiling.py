"""Right: the fewest partitions of the band by integer ceiling; cut counts bytes of rows and cuts each partition greedily."""

import math

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd


def npartitions_for(table_bytes, device_bytes, shuffles):
    parts_of_device = 16 if shuffles else 8
    return max(1, math.ceil(table_bytes * parts_of_device / device_bytes))


def _row_bytes(part):
    size = np.zeros(len(part), dtype="float64")
    for name in part.columns:
        column = part[name]
        real = float(column.memory_usage(index=True, deep=True))
        text = str(column.dtype) in ("object", "str", "string", "category")
        weights = np.array([len(str(value)) + 8 for value in column], dtype="float64") if text else np.ones(len(part))
        size += real * weights / max(weights.sum(), 1.0)
    return size


def _ends(part, most_bytes):
    ends, sizes, room = [], [], 0.0
    for place, size in enumerate(_row_bytes(part)):
        if room and room + size > most_bytes * 0.8:
            ends.append(place)
            sizes.append(room)
            room = 0.0
        room += size
    return [*ends, len(part)], [*sizes, room]


def _join(pieces):
    return pd.concat([whole.iloc[first:last] for whole, first, last in pieces])


def cut(table, most_bytes):
    parts = table.to_delayed()
    looked = dask.compute(*[dask.delayed(_ends)(part, most_bytes) for part in parts])
    groups, room = [], 0.0
    for part, (ends, sizes) in zip(parts, looked):
        for first, last, size in zip([0, *ends], ends, sizes):
            if not groups or room + size > most_bytes * 0.8:
                groups.append([])
                room = 0.0
            groups[-1].append((part, first, last))
            room += size
    return dd.from_delayed([dask.delayed(_join)(group) for group in groups], meta=table._meta, verify_meta=False)
