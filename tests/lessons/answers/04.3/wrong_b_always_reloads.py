"""Wrong: loads the data each time, not only "if the data was lost"."""


def with_reload(client, data, task, reload):
    data = client.scatter(reload(), hash=False)
    return client.submit(task, data, pure=False).result(), data


why = "c"
