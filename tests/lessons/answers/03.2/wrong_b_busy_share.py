"""Wrong: returns the share in which the hands were busy, so 1 means always busy and not 0."""

import time

from distributed import get_worker
from gpucluster.lessons.simulations.kitchen import Entry


def hands_on(order):
    """Do the work of an order."""
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())


def with_semaphore(order, knives):
    if order.knife:
        with knives:
            return hands_on(order)
    return hands_on(order)


def idle_share(log, cooks):
    busy = sum(entry.ended - entry.began for entry in log)
    return busy / (cooks * (max(entry.ended for entry in log) - min(entry.taken for entry in log)))
