"""Wrong: after a short time the cook works without a knife, although none is free."""

import time

from distributed import get_worker
from gpucluster.lessons.simulations.kitchen import Entry


def hands_on(order):
    """Do the work of an order."""
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())


def idle_share(log, cooks):
    busy = sum(entry.ended - entry.began for entry in log)
    span = max(entry.ended for entry in log) - min(entry.taken for entry in log)
    return 1 - busy / (cooks * span)


def with_semaphore(order, knives):
    if not order.knife:
        return hands_on(order)
    got_one = knives.acquire(timeout=0.05)
    entry = hands_on(order)
    if got_one:
        knives.release()
    return entry
