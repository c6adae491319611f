# %% right b_reduce: functools.reduce over the workers, without a loop.
from functools import reduce


def inspect(client):
    info = client.scheduler_info(n_workers=-1)["workers"].values()
    return reduce(lambda a, w: (a[0] + 1, a[1] + w["nthreads"], a[2] + w["memory_limit"]), info, (0, 0, 0))

# %% right nthreads
def inspect(client):
    threads = client.nthreads()
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return len(threads), sum(threads.values()), sum(w["memory_limit"] for w in workers)

# %% right totals
def inspect(client):
    info = client.scheduler_info(n_workers=-1)
    return info["n_workers"], info["total_threads"], info["total_memory"]

# %% wrong at_most_five
# fails: The number of workers is the total over all workers
def inspect(client):
    workers = client.scheduler_info()["workers"].values()
    return len(workers), sum(w["nthreads"] for w in workers), sum(w["memory_limit"] for w in workers)

# %% wrong b_cores_of_machine: Counts the cores of the machine, not the threads of the workers.
# fails: The number of threads is the total over all workers
# ~ a[1] + w["nthreads"] => a[1] + os.cpu_count()
import os

# %% wrong b_gibibytes: The memory is in GiB, not in bytes.
# fails: The bytes of memory is the total over all workers
def inspect(client):
    info = client.scheduler_info(n_workers=-1)["workers"].values()
    return len(info), sum(w["nthreads"] for w in info), sum(w["memory_limit"] for w in info) // 2**30

# %% wrong b_memory_in_use: Adds up the memory that is in use, not the bytes that the workers may use.
# fails: The bytes of memory is the total over all workers
def inspect(client):
    info = client.scheduler_info(n_workers=-1)["workers"].values()
    return len(info), sum(w["nthreads"] for w in info), sum(int(w["metrics"]["memory"]) for w in info)

# %% wrong b_scheduler_too, edit of the solution: Counts the scheduler as a worker.
# fails: The number of workers is the total over all workers
# ~ len(workers) => len(workers) + 1

# %% wrong b_threads_swapped: Threads come first and workers second; the text says workers, threads, bytes.
# fails: The number of workers is the total over all workers
def inspect(client):
    info = client.scheduler_info(n_workers=-1)["workers"].values()
    return sum(w["nthreads"] for w in info), len(info), sum(w["memory_limit"] for w in info)

# %% wrong dictionary
# fails: It returns three values: workers, threads, bytes
def inspect(client):
    return client.scheduler_info(n_workers=-1)["workers"]

# %% wrong of_one_worker
# fails: The number of threads is the total over all workers
def inspect(client):
    workers = list(client.scheduler_info(n_workers=-1)["workers"].values())
    return len(workers), workers[0]["nthreads"], workers[0]["memory_limit"]
