"""Right: looks at the status of futures, the error is raised by result()."""

from distributed import wait


def with_reload(client, data, task, reload):
    if data.status not in ("cancelled", "lost"):
        running = client.submit(task, data, pure=False)
        wait(running)
        if running.status != "cancelled":
            return running.result(), data
    fresh = client.scatter(reload(), hash=False)
    return client.submit(task, fresh, pure=False).result(), fresh


why = "c"
