"""Returns the future that was lost."""

from concurrent.futures import CancelledError


def with_reload(client, data, task, reload):
    try:
        return client.submit(task, data, pure=False).result(), data
    except CancelledError:
        return client.submit(task, client.scatter(reload(), hash=False), pure=False).result(), data


why = "c"
