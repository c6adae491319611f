# %% right annotated: Delayed tasks with annotations.
import time
from contextlib import nullcontext

import dask
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
        client.run(set_knives, number=int(number < knives), workers=[cook])


def serve(client, orders):
    tasks = []
    for order in orders:
        with dask.annotate(resources={"knife": 1}) if order.knife else nullcontext():
            tasks.append(dask.delayed(hands_on, pure=False)(order))
    return client.compute(tasks, optimize_graph=False)

# %% right b_all_then_some: Takes all knives away first, then gives some out by one call; two kinds of submit.
# -     for number, cook in enumerate(client.scheduler_info(n_workers=-1)["workers"]):
# -         client.run(set_knives, number=int(number < knives), workers=[cook])
# +     client.run(set_knives, number=0)
# +     lucky = list(client.scheduler_info(n_workers=-1)["workers"])[:knives]
# +     if lucky:
# +         client.run(set_knives, number=1, workers=lucky)
def serve(client, orders):
    return [
        client.submit(hands_on, order, pure=False, resources={"knife": 1})
        if order.knife
        else client.submit(hands_on, order, pure=False)
        for order in orders
    ]

# %% wrong a_knife_for_each: More knives than there are.
# fails: Afterwards 2 of 3 cooks have one knife each, the others none
# ~ int(number < knives) => 1

# %% wrong b_all_need_one: All orders ask for a knife, including those that need none.
# fails: The evening takes at most 1.5 times the lower bound
# ~ dask.annotate(resources={"knife": 1}) if order.knife else nullcontext() => dask.annotate(resources={"knife": 1})

# %% wrong b_no_resources: The orders do not say that they need a knife.
# fails: No more knives are in use than exist
# ~ dask.annotate(resources={"knife": 1}) if order.knife else nullcontext() => nullcontext()

# %% wrong b_pure: Says pure=True, so equal orders are cooked only once.
# fails: Each order is done once, even if two are the same
# ~ dask.delayed(hands_on, pure=False) => dask.delayed(hands_on, pure=True)

# %% wrong c_entries: Waits for the orders and returns their entries, not futures.
# fails: serve returns futures, and does not wait for the orders
# ~ client.compute(tasks, optimize_graph=False) => client.gather(client.compute(tasks, optimize_graph=False))

# %% wrong c_knives_first: The orders with a knife first, then the others: the futures do not stand in the sequence of the orders.
# fails: The futures are in the same order as the orders
# ~ for order in orders: => for order in sorted(orders, key=lambda order: not order.knife):

# %% wrong semaphore, edit of right annotated: Cooks wait for a knife inside the task.
# fails: No cook takes an order and then waits for a knife
from distributed import Semaphore, get_worker


def serve(client, orders):
    knives = Semaphore(max_leases=1, name="drawer")

    def cook(order):
        if order.knife:
            with knives:
                return hands_on(order)
        return hands_on(order)

    return client.map(cook, orders, pure=False)
