"""Any error is a reason to load again."""


def with_reload(client, data, task, reload):
    try:
        return client.submit(task, data, pure=False).result(), data
    except Exception:
        data = client.scatter(reload(), hash=False)
        return client.submit(task, data, pure=False).result(), data


why = "c"
