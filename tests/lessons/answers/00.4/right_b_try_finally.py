"""Two nested try … finally blocks, without with."""

from distributed import Client


def borrow(start, job):
    cluster = start()
    try:
        client = Client(cluster)
        try:
            return job(client)
        finally:
            client.close()
    finally:
        cluster.close()
