"""Keeps the error in a variable, closes everything, and raises the same error afterwards."""

from distributed import Client


def borrow(start, job):
    cluster = start()
    error = result = client = None
    try:
        client = Client(cluster)
        result = job(client)
    except BaseException as caught:
        error = caught
    if client is not None:
        client.close()
    cluster.close()
    if error is not None:
        raise error
    return result
