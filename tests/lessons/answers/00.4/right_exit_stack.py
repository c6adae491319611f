from contextlib import ExitStack


def borrow(start, job):
    with ExitStack() as stack:
        cluster = stack.enter_context(start())
        client = stack.enter_context(cluster.get_client())
        return job(client)
