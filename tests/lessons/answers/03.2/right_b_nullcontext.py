"""nullcontext takes the place of the knife; pandas for the share."""

import time
from contextlib import nullcontext

import pandas as pd
from distributed import get_worker
from gpucluster.lessons.simulations.kitchen import Entry


def hands_on(order):
    """Do the work of an order."""
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())


def with_semaphore(order, knives):
    with knives if order.knife else nullcontext():
        return hands_on(order)


def idle_share(log, cooks):
    table = pd.DataFrame([{"taken": e.taken, "began": e.began, "ended": e.ended} for e in log])
    time_of_all = cooks * (table.ended.max() - table.taken.min())
    return float((time_of_all - (table.ended - table.began).sum()) / time_of_all)
