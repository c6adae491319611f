"""An ExitStack closes what was opened, in the opposite order."""

from contextlib import ExitStack

from distributed import Client


def borrow(start, job):
    with ExitStack() as stack:
        cluster = stack.enter_context(start())
        client = stack.enter_context(Client(cluster))
        result = job(client)
    return result
