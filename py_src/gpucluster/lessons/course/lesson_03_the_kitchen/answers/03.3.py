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
# - def hands_on(order):
# + def hands_on(order):
# +     """Do the work of an order."""
# - async def set_knives(dask_worker, number):
# + async def set_knives(dask_worker, number):
# +     """Tell a worker how many knives it has."""
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

# %% right b_enumerate: A loop with enumerate; one submit with a dictionary that is empty for orders without a knife.
# edit of right b_all_then_some
def hand_out(client, knives):
    for i, address in enumerate(client.scheduler_info(n_workers=-1)["workers"]):
        client.run(set_knives, number=int(i < knives), workers=[address])


def serve(client, orders):
    futures = []
    for order in orders:
        needs = {"knife": 1} if order.knife else {}
        futures.append(client.submit(hands_on, order, resources=needs, pure=False))
    return futures

# %% wrong a_knife_for_each: More knives than there are.
# fails: Afterwards 2 of 3 cooks have one knife each, the others none
# -     for number, cook in enumerate(client.scheduler_info(n_workers=-1)["workers"]):
# -         client.run(set_knives, number=int(number < knives), workers=[cook])
# +     client.run(set_knives, number=1)
def serve(client, orders):
    return [
        client.submit(hands_on, order, resources={"knife": 1} if order.knife else {}, pure=False) for order in orders
    ]

# %% wrong b_all_need_one: All orders ask for a knife, including those that need none.
# fails: The evening takes at most 1.5 times the lower bound
# edit of right b_enumerate
# ~ int(i < knives) => 1 if i < knives else 0
def serve(client, orders):
    return client.map(hands_on, orders, resources={"knife": 1}, pure=False)

# %% wrong b_no_resources: The orders do not say that they need a knife.
# fails: Never more knives in use than there are
# edit of wrong b_all_need_one
# -     return client.map(hands_on, orders, resources={"knife": 1}, pure=False)
# +     return [client.submit(hands_on, order, pure=False) for order in orders]

# %% wrong b_pure: Pure=False is missing, so equal orders are cooked only once.
# fails: Each order is done once, even where two are the same
# edit of wrong b_all_need_one
def serve(client, orders):
    return [client.submit(hands_on, order, resources={"knife": 1} if order.knife else None) for order in orders]

# %% wrong c_entries: Waits for the orders and returns their entries, not futures.
# fails: serve returns futures, and does not wait for the orders
# edit of right b_enumerate
# ~ i, address => number, cook
# ~ int(i < knives), workers=[address] => 1 if number < knives else 0, workers=[cook]
def serve(client, orders):
    futures = [
        client.submit(hands_on, order, resources={"knife": 1} if order.knife else {}, pure=False) for order in orders
    ]
    return client.gather(futures)

# %% wrong c_knives_first: The orders with a knife first, then the others: the futures do not stand in the sequence of the orders.
# fails: The futures stand in the sequence of the orders
# edit of wrong c_entries
def serve(client, orders):
    cut = client.map(hands_on, [order for order in orders if order.knife], resources={"knife": 1}, pure=False)
    return cut + client.map(hands_on, [order for order in orders if not order.knife], pure=False)

# %% wrong semaphore: Cooks wait for a knife inside the task.
# fails: No cook takes an order and then waits for a knife
# edit of right annotated
from distributed import Semaphore, get_worker


def serve(client, orders):
    knives = Semaphore(max_leases=1, name="drawer")

    def cook(order):
        if order.knife:
            with knives:
                return hands_on(order)
        return hands_on(order)

    return client.map(cook, orders, pure=False)
