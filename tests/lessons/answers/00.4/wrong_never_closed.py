from distributed import Client


def borrow(start, job):
    return job(Client(start()))
