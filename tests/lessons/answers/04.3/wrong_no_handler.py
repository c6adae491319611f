"""Does not expect a loss."""


def with_reload(client, data, task, reload):
    return client.submit(task, data, pure=False).result(), data


why = "c"
