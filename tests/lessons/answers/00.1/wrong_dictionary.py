def inspect(client):
    return client.scheduler_info(n_workers=-1)["workers"]
