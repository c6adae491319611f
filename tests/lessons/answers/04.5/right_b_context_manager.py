"""Right: a context manager keeps the setting, the future is asked for its exception."""

from contextlib import contextmanager

from distributed import wait


@contextmanager
def allowed_failures(client, number):
    before = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.allowed_failures)
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", number))
    try:
        yield
    finally:
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", before))


def run_carefully(client, task, args, retries, allowed):
    with allowed_failures(client, allowed):
        future = client.submit(task, *args, retries=retries, pure=False)
        wait(future)
        return future.exception() if future.status == "error" else future.result()
