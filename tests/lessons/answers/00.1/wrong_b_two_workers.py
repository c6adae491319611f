"""Wrong: the number of workers of the laptop, 2, is fixed."""


def inspect(client):
    info = list(client.scheduler_info(n_workers=-1)["workers"].values())
    workers = 2
    return workers, sum(w["nthreads"] for w in info[:workers]), sum(w["memory_limit"] for w in info[:workers])
