"""Wrong: after a loss the task runs in the notebook, not "on the cluster"."""

from concurrent.futures import CancelledError


def with_reload(client, data, task, reload):
    try:
        return client.submit(task, data, pure=False).result(), data
    except CancelledError:
        table = reload()
        return task(table), client.scatter(table, hash=False)


why = "c"
