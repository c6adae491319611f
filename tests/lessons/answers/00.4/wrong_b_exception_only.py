"""Wrong: closes in the good case and after ValueError only, so other errors leave the cluster running."""

from distributed import Client


def borrow(start, job):
    cluster = start()
    client = Client(cluster)
    try:
        result = job(client)
    except ValueError:
        client.close()
        cluster.close()
        raise
    client.close()
    cluster.close()
    return result
