"""Wrong: sets 3 at the end, not what was there before ("put the scheduler's setting back")."""


def set_number(dask_scheduler, number):
    dask_scheduler.allowed_failures = number


def run_carefully(client, task, args, retries, allowed):
    client.run_on_scheduler(set_number, number=allowed)
    try:
        return client.submit(task, *args, retries=retries, pure=False).result()
    except Exception as error:
        return error
    finally:
        client.run_on_scheduler(set_number, number=3)
