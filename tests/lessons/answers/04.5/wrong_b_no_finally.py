"""Wrong: puts the setting back only after a result; asked is "whatever happens"."""


def set_number(dask_scheduler, number):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


def run_carefully(client, task, args, retries, allowed):
    before = client.run_on_scheduler(set_number, number=allowed)
    try:
        result = client.submit(task, *args, retries=retries, pure=False).result()
    except Exception as error:
        return error
    client.run_on_scheduler(set_number, number=before)
    return result
