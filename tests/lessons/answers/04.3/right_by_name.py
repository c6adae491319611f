"""A helper, and the error by its full name."""

from distributed.client import FutureCancelledError


def with_reload(client, data, task, reload):
    def attempt(data):
        return client.submit(task, data, pure=False).result(), data

    try:
        return attempt(data)
    except FutureCancelledError:
        pass
    return attempt(client.scatter(reload(), hash=False))


why = "c"
