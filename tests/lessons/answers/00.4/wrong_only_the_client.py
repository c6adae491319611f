from distributed import Client


def borrow(start, job):
    with Client(start()) as client:
        return job(client)
