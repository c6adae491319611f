"""An Entry of its own, with the same fields: so it is, too, where the package was loaded twice, as for grading."""

import time
from collections import namedtuple

import numpy as np
from distributed import get_worker

Entry = namedtuple("Entry", ["name", "cook", "taken", "began", "ended"])


def hands_on(order):
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())


def with_semaphore(order, knives):
    if not order.knife:
        return hands_on(order)
    with knives:
        return hands_on(order)


def idle_share(log, cooks):
    taken, began, ended = np.array([entry[2:] for entry in log]).T
    return 1 - (ended - began).sum() / (cooks * (ended.max() - taken.min()))
