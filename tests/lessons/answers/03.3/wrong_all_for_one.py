"""One cook has all knives and only two hands."""

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
    for number, cook in enumerate(client.scheduler_info(n_workers=-1)["workers"]):
        client.run(set_knives, number=knives if number == 0 else 0, workers=[cook])


def serve(client, orders):
    return [
        client.submit(hands_on, order, resources={"knife": 1} if order.knife else {}, pure=False) for order in orders
    ]
