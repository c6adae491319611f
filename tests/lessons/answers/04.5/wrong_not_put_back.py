"""The setting stays."""


def set_allowed(dask_scheduler, number):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


def run_carefully(client, task, args, retries, allowed):
    client.run_on_scheduler(set_allowed, number=allowed)
    try:
        return client.submit(task, *args, retries=retries, pure=False).result()
    except Exception as error:
        return error
