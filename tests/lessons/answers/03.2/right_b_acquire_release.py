"""acquire and release with try … finally; plain loops for the share."""

import time

from distributed import get_worker
from gpucluster.lessons.simulations.kitchen import Entry


def hands_on(order):
    """Do the work of an order."""
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())


def with_semaphore(order, knives):
    if not order.knife:
        return hands_on(order)
    knives.acquire()
    try:
        return hands_on(order)
    finally:
        knives.release()


def idle_share(log, cooks):
    busy = 0.0
    first, last = float("inf"), float("-inf")
    for entry in log:
        busy += entry.ended - entry.began
        first = min(first, entry.taken)
        last = max(last, entry.ended)
    return 1 - busy / (cooks * (last - first))
