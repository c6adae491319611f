"""Wrong: a ValueError of the task counts as a loss, too, so that the data is loaded again ("is not a loss")."""


def with_reload(client, data, task, reload):
    try:
        return client.submit(task, data, pure=False).result(), data
    except Exception:
        data = client.scatter(reload(), hash=False)
        return client.submit(task, data, pure=False).result(), data


why = "c"
