"""NumPy sums, and the chain along a topological order from graphlib."""

from graphlib import TopologicalSorter

import numpy as np


def bound(orders, cooks, knives):
    seconds = np.array([order.seconds for order in orders], dtype=float)
    knife = np.array([order.knife for order in orders], dtype=bool)
    duration = dict(zip((order.name for order in orders), seconds))
    after = {order.name: order.after for order in orders}
    ends = {}
    for name in TopologicalSorter(after).static_order():
        ends[name] = duration[name] + max((ends[earlier] for earlier in after[name]), default=0)
    return float(max(seconds.sum() / cooks, seconds[knife].sum() / knives, max(ends.values(), default=0)))
