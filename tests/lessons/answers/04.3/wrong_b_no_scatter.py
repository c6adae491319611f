"""Wrong: gives back the loaded data itself; asked is "scatter what it returns" and the future of the data."""

from concurrent.futures import CancelledError


def with_reload(client, data, task, reload):
    try:
        return client.submit(task, data, pure=False).result(), data
    except CancelledError:
        data = reload()
        return client.submit(task, data, pure=False).result(), data


why = "c"
