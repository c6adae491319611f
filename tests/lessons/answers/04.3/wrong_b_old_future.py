"""Wrong: returns the lost future, not the one "that can be used next time"."""

from concurrent.futures import CancelledError


def with_reload(client, data, task, reload):
    try:
        result = client.submit(task, data, pure=False).result()
    except CancelledError:
        fresh = client.scatter(reload(), hash=False)
        result = client.submit(task, fresh, pure=False).result()
    return result, data


why = "c"
