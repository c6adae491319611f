"""Nobody takes a knife."""

import time

from distributed import get_worker
from gpucluster.lessons.simulations.kitchen import Entry


def hands_on(order):
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())


def with_semaphore(order, knives):
    return hands_on(order)


def idle_share(log, cooks):
    length = max(entry.ended for entry in log) - min(entry.taken for entry in log)
    return 1 - sum(entry.ended - entry.began for entry in log) / cooks / length
