from distributed import Client


def borrow(start, job):
    with start() as cluster:
        with Client(cluster) as client:
            return job(client)
