"""Cooks wait for a knife inside the task."""

import time

from distributed import Semaphore, get_worker
from gpucluster.lessons.simulations.kitchen import Entry


def hands_on(order):
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())


async def set_knives(dask_worker, number):
    await dask_worker.set_resources(knife=number)


def hand_out(client, knives):
    for number, cook in enumerate(client.scheduler_info(n_workers=-1)["workers"]):
        client.run(set_knives, number=int(number < knives), workers=[cook])


def serve(client, orders):
    knives = Semaphore(max_leases=1, name="drawer")

    def cook(order):
        if order.knife:
            with knives:
                return hands_on(order)
        return hands_on(order)

    return client.map(cook, orders, pure=False)
