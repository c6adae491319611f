"""Wrong: off by one, the task ends allowed + 2 workers ("it then ends `allowed + 1`")."""


def set_number(dask_scheduler, number):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


def run_carefully(client, task, args, retries, allowed):
    before = client.run_on_scheduler(set_number, number=allowed + 1)
    try:
        return client.submit(task, *args, retries=retries, pure=False).result()
    except Exception as error:
        return error
    finally:
        client.run_on_scheduler(set_number, number=before)
