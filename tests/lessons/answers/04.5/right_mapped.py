"""A map over one item."""


def set_allowed(dask_scheduler, number):
    before, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, number
    return before


def run_carefully(client, task, args, retries, allowed):
    old = client.run_on_scheduler(set_allowed, number=allowed)
    outcome = None
    try:
        (future,) = client.map(lambda one: task(*one), [args], retries=retries, pure=False)
        outcome = future.result()
    except Exception as problem:
        outcome = problem
    client.run_on_scheduler(set_allowed, number=old)
    return outcome
