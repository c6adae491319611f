# %% right b_recursive: Recursion with a cache for the longest chain.
from functools import cache


def bound(orders, cooks, knives):
    by_name = {order.name: order for order in orders}

    @cache
    def chain(name):
        order = by_name[name]
        return order.seconds + max((chain(earlier) for earlier in order.after), default=0.0)

    work = sum(order.seconds for order in orders) / cooks
    cutting = sum(order.seconds for order in orders if order.knife)
    return max(work, cutting / knives if cutting else 0.0, max(map(chain, by_name), default=0.0))

# %% right loop: The ends of all orders, found in rounds.
def bound(orders, cooks, knives):
    end = {}
    while len(end) < len(orders):
        for order in orders:
            if order.name not in end and all(name in end for name in order.after):
                end[order.name] = order.seconds + max([0, *(end[name] for name in order.after)])
    all_work = sum(order.seconds for order in orders)
    cutting = sum(order.seconds for order in orders if order.knife)
    return max(max(end.values()), all_work / cooks, cutting / knives)

# %% right sorted: A topological sort of the standard library, and NumPy for the rest.
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

# %% wrong added_up: The limits are added instead of compared.
# fails: It is right if the limit is all work, shared among the cooks
# ~ max(work, cutting / knives if cutting else 0.0, max(map(chain, by_name), default=0.0)) => work + cutting / knives

# %% wrong b_direct_only: Adds only the orders that come directly before, not the whole chain.
# fails: It is right if the limit is the longest chain of orders that wait for each other
# ~ chain(earlier) for earlier => by_name[earlier].seconds for earlier

# %% wrong b_knife_by_cooks: Divides the knife work by the number of cooks, not of knives.
# fails: It is right if the limit is the work with a knife, shared among the knives
# ~ cutting / knives => cutting / cooks

# %% wrong b_whole_seconds: Floor division cuts the seconds of the first two limits.
# fails: It is right if the limit is the work with a knife, shared among the knives
# ~ orders) / cooks => orders) // cooks
# ~ cutting / knives => cutting // knives

# %% wrong pops_orders
# fails: Inputs are not modified
# -     by_name = {order.name: order for order in orders}
# +     orders.reverse()
# +     by_name = {order.name: order for order in orders}
