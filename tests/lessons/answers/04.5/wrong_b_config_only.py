"""Wrong: changes the notebook's configuration, which a running scheduler does not read ("let it end at most `allowed` workers")."""

import dask


def run_carefully(client, task, args, retries, allowed):
    with dask.config.set({"distributed.scheduler.allowed-failures": allowed}):
        try:
            return client.submit(task, *args, retries=retries, pure=False).result()
        except Exception as error:
            return error
