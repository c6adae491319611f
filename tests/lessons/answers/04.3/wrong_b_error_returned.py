"""Wrong: an error of the task is returned; "it must reach the caller"."""

from concurrent.futures import CancelledError


def with_reload(client, data, task, reload):
    try:
        return client.submit(task, data, pure=False).result(), data
    except CancelledError:
        data = client.scatter(reload(), hash=False)
        return client.submit(task, data, pure=False).result(), data
    except Exception as error:
        return error, data


why = "c"
