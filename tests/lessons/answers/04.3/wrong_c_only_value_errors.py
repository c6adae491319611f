"""Wrong: passes on a ValueError only; any other error of the task counts as a loss."""


def with_reload(client, data, task, reload):
    try:
        return client.submit(task, data, pure=False).result(), data
    except ValueError:
        raise
    except Exception:
        data = client.scatter(reload())
        return client.submit(task, data, pure=False).result(), data


why = "c"
