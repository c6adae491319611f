"""Takes all knives away first, then gives some out by one call; two kinds of submit."""

import time

from distributed import get_worker
from gpucluster.lessons.simulations.kitchen import Entry


def hands_on(order):
    """Do the work of an order."""
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())


async def set_knives(dask_worker, number):
    """Tell a worker how many knives it has."""
    await dask_worker.set_resources(knife=number)


def hand_out(client, knives):
    client.run(set_knives, number=0)
    lucky = list(client.scheduler_info(n_workers=-1)["workers"])[:knives]
    if lucky:
        client.run(set_knives, number=1, workers=lucky)


def serve(client, orders):
    return [
        client.submit(hands_on, order, pure=False, resources={"knife": 1})
        if order.knife
        else client.submit(hands_on, order, pure=False)
        for order in orders
    ]
