"""Two with blocks, with the client from the cluster's own method."""


def borrow(start, job):
    with start() as cluster:
        with cluster.get_client() as client:
            return job(client)
