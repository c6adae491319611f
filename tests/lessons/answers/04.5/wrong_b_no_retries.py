"""Wrong: the option `retries` is ignored."""


def set_number(dask_scheduler, number):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


def run_carefully(client, task, args, retries, allowed):
    before = client.run_on_scheduler(set_number, number=allowed)
    try:
        return client.submit(task, *args, pure=False).result()
    except Exception as error:
        return error
    finally:
        client.run_on_scheduler(set_number, number=before)
