"""A topological sort of the standard library, and NumPy for the rest."""

from graphlib import TopologicalSorter

import numpy as np


def bound(orders, cooks, knives):
    by_name = {order.name: order for order in orders}
    ends = {}
    for name in TopologicalSorter({order.name: order.after for order in orders}).static_order():
        ends[name] = by_name[name].seconds + max((ends[earlier] for earlier in by_name[name].after), default=0.0)
    seconds = np.array([order.seconds for order in orders])
    needs = np.array([order.knife for order in orders])
    return np.max([seconds.sum() / cooks, seconds[needs].sum() / knives, max(ends.values())])
