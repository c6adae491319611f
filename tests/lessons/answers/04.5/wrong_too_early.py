"""The setting is put back before the task has ended."""


def set_allowed(dask_scheduler, number):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


def run_carefully(client, task, args, retries, allowed):
    before = client.run_on_scheduler(set_allowed, number=allowed)
    future = client.submit(task, *args, retries=retries, pure=False)
    client.run_on_scheduler(set_allowed, number=before)
    try:
        return future.result()
    except Exception as error:
        return error
