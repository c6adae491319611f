"""Right: map over one element, and an exit stack that puts the setting back."""

from contextlib import ExitStack


def allow(number, dask_scheduler=None):
    old = dask_scheduler.allowed_failures
    dask_scheduler.allowed_failures = number
    return old


def run_carefully(client, task, args, retries, allowed):
    def call(_):
        return task(*args)

    with ExitStack() as stack:
        stack.callback(client.run_on_scheduler, allow, client.run_on_scheduler(allow, allowed))
        [future] = client.map(call, [0], retries=retries, pure=False)
        try:
            [outcome] = client.gather([future])
        except Exception as error:
            outcome = error
        return outcome
