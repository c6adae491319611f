"""Wrong: counts the cooks in the log; a cook without any order belongs to all cooks together as well."""

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
    span = max(entry.ended for entry in log) - min(entry.taken for entry in log)
    return 1 - busy / (len({entry.cook for entry in log}) * span)
