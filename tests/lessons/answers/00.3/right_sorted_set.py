def worker_pids(client):
    def pid(dask_worker):
        import os

        return os.getpid()

    return sorted(set(client.run(pid).values()))
