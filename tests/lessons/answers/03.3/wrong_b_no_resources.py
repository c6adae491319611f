"""Wrong: the orders do not say that they need a knife."""

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
    for i, address in enumerate(client.scheduler_info(n_workers=-1)["workers"]):
        client.run(set_knives, number=1 if i < knives else 0, workers=[address])


def serve(client, orders):
    return [client.submit(hands_on, order, pure=False) for order in orders]
