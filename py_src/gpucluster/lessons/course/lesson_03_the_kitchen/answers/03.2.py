import time

from distributed import get_worker
from gpucluster.lessons.simulations.kitchen import Entry


def hands_on(order):
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())

# %% right acquire: Acquire and release by hand; idle time added up.
def with_semaphore(order, knives):
    if order.knife:
        knives.acquire()
    try:
        return hands_on(order)
    finally:
        if order.knife:
            knives.release()


def idle_share(log, cooks):
    start = min(entry.taken for entry in log)
    total = cooks * (max(entry.ended for entry in log) - start)
    idle = total
    for entry in log:
        idle -= entry.ended - entry.began
    return idle / total

# %% right own_entry: A separate Entry class with the same fields, as when the package was loaded twice for grading.
from collections import namedtuple

import numpy as np

Entry = namedtuple("Entry", ["name", "cook", "taken", "began", "ended"])


def with_semaphore(order, knives):
    if not order.knife:
        return hands_on(order)
    with knives:
        return hands_on(order)


def idle_share(log, cooks):
    taken, began, ended = np.array([entry[2:] for entry in log]).T
    return 1 - (ended - began).sum() / (cooks * (ended.max() - taken.min()))

# %% right table, edit of right own_entry: A context that may be empty; the share from a table.
# -     if not order.knife:
# -         return hands_on(order)
# -     with knives:
# +     with knives if order.knife else nullcontext():
# -     taken, began, ended = np.array([entry[2:] for entry in log]).T
# -     return 1 - (ended - began).sum() / (cooks * (ended.max() - taken.min()))
# +     table = pd.DataFrame(log)
# +     busy = (table.ended - table.began).sum()
# +     return 1 - busy / (cooks * (table.ended.max() - table.taken.min()))
from contextlib import nullcontext
import pandas as pd

# %% wrong knife_for_all, edit of right table: Every order takes a knife.
# fails: Orders that need no knife do not wait for one
# ~ knives if order.knife else nullcontext() => knives

# %% wrong no_knife, edit of wrong knife_for_all: No cook takes a knife.
# fails: No more knives are in use than exist
def with_semaphore(order, knives):
    return hands_on(order)

# %% wrong busy_share: The share of work, not of idleness.
# fails: The idle share is right in 20 random logs, even when a cook has nothing to do
# ~ return idle / total => return 1 - idle / total

# %% wrong b_nothing_returned: The entry of hands_on is not returned for orders with a knife.
# fails: Each order returns an Entry, as hands_on does
# ~ return hands_on(order) => return (hands_on(order), None)[1] if order.knife else hands_on(order)

# %% wrong b_opposite, edit of right table: The orders without a knife take one, and those with a knife do not.
# fails: No more knives are in use than exist
# ~ knives if order.knife else nullcontext() => nullcontext() if order.knife else knives

# %% wrong never_given_back, edit of wrong knife_for_all: A knife is taken and never given back.
# fails: No more knives are in use than exist
# fails: Every knife is returned at the end
def with_semaphore(order, knives):
    if not order.knife:
        return hands_on(order)
    if not knives.acquire(timeout=0.5):
        return hands_on(order)
    return hands_on(order)

# %% wrong kept_after_an_error, edit of right acquire: After an error, the knife is not given back.
# fails: The knife is returned even if hands_on raises an error
def with_semaphore(order, knives):
    if not order.knife:
        return hands_on(order)
    knives.acquire()
    entry = hands_on(order)
    knives.release()
    return entry
