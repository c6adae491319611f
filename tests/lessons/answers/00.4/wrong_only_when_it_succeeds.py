from distributed import Client


def borrow(start, job):
    cluster = start()
    client = Client(cluster)
    result = job(client)
    client.close()
    cluster.close()
    return result
