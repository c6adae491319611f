"""Wrong: it is not a matter of time, no task makes the data (why)."""

from concurrent.futures import CancelledError


def with_reload(client, data, task, reload):
    try:
        return client.submit(task, data, pure=False).result(), data
    except CancelledError:
        data = client.scatter(reload(), hash=False)
        return client.submit(task, data, pure=False).result(), data


why = "a"
