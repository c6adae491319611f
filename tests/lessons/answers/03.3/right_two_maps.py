"""Two calls for two groups of cooks, two maps for two kinds of orders, futures put in sequence."""

import time

from distributed import get_worker
from gpucluster.lessons.simulations.kitchen import Entry


def hands_on(order):
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())


async def set_knives(dask_worker, number):
    await dask_worker.set_resources(knife=number)


def hand_out(client, knives):
    cooks = sorted(client.scheduler_info(n_workers=-1)["workers"])
    client.run(set_knives, number=1, workers=cooks[:knives])
    if cooks[knives:]:
        client.run(set_knives, number=0, workers=cooks[knives:])


def serve(client, orders):
    with_knife = [order for order in orders if order.knife]
    without = [order for order in orders if not order.knife]
    cutting = iter(client.map(hands_on, with_knife, resources={"knife": 1}, priority=10, pure=False))
    cooking = iter(client.map(hands_on, without, pure=False))
    return [next(cutting if order.knife else cooking) for order in orders]
