"""bisect from the standard library; sizes and sums by map_partitions."""

from bisect import bisect_left

import dask
import pandas as pd


def largest_scale(survives, highest):
    return bisect_left(range(1, highest + 1), True, key=lambda k: not survives(k))


def summary(part):
    return pd.DataFrame({"n": [len(part)], "s": [part["dep_delay"].sum()], "c": [part["dep_delay"].count()]})


def dask_answer(table):
    pieces = [dask.delayed(summary)(part) for part in table.to_delayed()]
    total = dask.delayed(pd.concat)(pieces).sum().compute()
    return int(total["n"]), float(total["s"] / total["c"])
