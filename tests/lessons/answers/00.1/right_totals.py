def inspect(client):
    info = client.scheduler_info(n_workers=-1)
    return info["n_workers"], info["total_threads"], info["total_memory"]
