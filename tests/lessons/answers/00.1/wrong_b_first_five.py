"""Wrong: asks for five workers only, and not for all of them."""


def inspect(client):
    info = client.scheduler_info(n_workers=5)["workers"].values()
    return len(info), sum(w["nthreads"] for w in info), sum(w["memory_limit"] for w in info)
