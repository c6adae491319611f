"""Acquire and release by hand; idle time added up."""

import time

from distributed import get_worker
from gpucluster.lessons.simulations.kitchen import Entry


def hands_on(order):
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())


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
