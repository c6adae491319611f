"""Looks at the future when something went wrong."""

from distributed import CancelledError


def with_reload(client, data, task, reload):
    for attempt in range(2):
        future = client.submit(task, data, pure=False)
        try:
            return [future.result(), data]
        except CancelledError:
            if attempt:
                raise
            [data] = client.scatter([reload()], hash=False)
    return None


why = "C"
