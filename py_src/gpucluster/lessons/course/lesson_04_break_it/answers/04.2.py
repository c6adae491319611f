import time

# %% right b_fullest_worker: Crashes the worker that has made most so far, found with max and a generator of snapshots.
import itertools

from gpucluster.lessons.simulations.recovery import crash, restored


def survive(client, lazy):
    def snapshots():
        for _ in itertools.count():
            yield {address: set(keys) - old.get(address, set()) for address, keys in client.has_what().items()}
            time.sleep(0.02)

    old = {address: set(keys) for address, keys in client.has_what().items()}
    future = client.compute(lazy)
    snapshot = next(one for one in snapshots() if any(one.values()))
    crash(client, max(snapshot, key=lambda address: len(snapshot[address])))
    try:
        return client.gather(future)
    finally:
        restored(client, len(old))

# %% right by_hand: The process ends itself; the wait for results and workers is written by hand.
import os


def survive(client, lazy):
    workers = list(client.scheduler_info(n_workers=-1)["workers"])
    future = client.compute(lazy)
    while True:
        holding = {address: len(keys) for address, keys in client.has_what().items()}
        victim = max(holding, key=holding.get)
        if holding[victim] >= 2:
            break
        time.sleep(0.02)
    client.run(os._exit, 1, workers=[victim], on_error="ignore")
    result = future.result()
    while True:
        now = client.scheduler_info(n_workers=-1)["workers"]
        if victim not in now and len(now) == len(workers):
            return result
        time.sleep(0.05)

# %% right persist: The parts are watched in the graph of a persisted result.
from gpucluster.lessons.simulations.recovery import addresses, crash, restored


def survive(client, lazy):
    count = len(addresses(client))
    started = client.persist(lazy)
    while not (busy := [worker for worker, keys in client.has_what().items() if keys]):
        time.sleep(0.03)
    crash(client, busy[-1])
    answer = started.compute()
    restored(client, count)
    return answer

# %% wrong b_all_workers, edit of right persist: Crashes every worker, the exercise says "a worker".
# fails: One worker crashes
# -     crash(client, busy[-1])
# +     for worker in addresses(client):
# +         crash(client, worker)

# %% wrong b_computed_locally, edit of right persist: The result comes from threads of the notebook; the one "started" on the cluster is thrown away.
# fails: It runs without an error: ValueError
# ~ started.compute() => lazy.compute(scheduler="threads")

# %% wrong b_no_crash, edit of right persist: Waits for something to be done but never crashes a worker.
# fails: One worker crashes
# -     crash(client, busy[-1])

# %% wrong c_first_worker, edit of right persist: Crashes the first worker, even where it has done nothing of the result yet.
# fails: The crash comes in the middle: something that the worker had computed is recomputed
# ~ busy[-1] => addresses(client)[0]

# %% wrong c_fixed_time, edit of right persist: Crashes after a fixed time, whatever has been done by then.
# fails: The crash comes in the middle: something that the worker had computed is recomputed
# -     while not (busy := [worker for worker, keys in client.has_what().items() if keys]):
# -         time.sleep(0.03)
# +     time.sleep(0.4)
# +     busy = sorted(addresses(client), key=lambda worker: len(client.has_what()[worker]))

# %% wrong c_last_worker, edit of right persist: Crashes the last worker, even where it has done nothing of the result yet.
# fails: The crash comes in the middle: something that the worker had computed is recomputed
# ~ busy[-1] => addresses(client)[-1]

# %% wrong future, edit of right persist: Returns a future, not a result.
# fails: The result equals that of an undisturbed run
# ~ answer = started.compute() => answer = client.compute(started)

# %% wrong does_not_wait, edit of right persist: Returns when the result is there, whether the worker has come back or not.
# fails: It returns once there are as many workers as before
# -     restored(client, count)
