"""Wrong: a loop of `retries` runs in all, one too few: `retries` counts the runs after the first."""


def set_number(dask_scheduler, number):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


def run_carefully(client, task, args, retries, allowed):
    before = client.run_on_scheduler(set_number, number=allowed)
    outcome = None
    try:
        for _ in range(max(retries, 1)):
            future = client.submit(task, *args, pure=False)
            outcome = future.exception()
            if outcome is None:
                return future.result()
            if type(outcome).__name__ == "KilledWorker":
                break
        return outcome
    finally:
        client.run_on_scheduler(set_number, number=before)
