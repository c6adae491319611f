"""Wrong: the others are not set to 0, so a cook keeps the knife of an earlier hand_out."""

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
    for address in list(client.scheduler_info(n_workers=-1)["workers"])[:knives]:
        client.run(set_knives, number=1, workers=[address])


def serve(client, orders):
    return [
        client.submit(hands_on, order, resources={"knife": 1} if order.knife else None, pure=False) for order in orders
    ]
