"""Wrong: adds up the memory that is in use, not the bytes that the workers may use."""


def inspect(client):
    info = client.scheduler_info(n_workers=-1)["workers"].values()
    return len(info), sum(w["nthreads"] for w in info), sum(int(w["metrics"]["memory"]) for w in info)
