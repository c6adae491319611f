"""Right: a delayed call over the future, and a recursion after a loss."""

from concurrent.futures import CancelledError

import dask


def with_reload(client, data, task, reload, tries=2):
    try:
        result = client.compute(dask.delayed(task, pure=False)(data)).result()
    except CancelledError:
        if tries == 1:
            raise
        [again] = client.scatter([reload()], hash=False)
        return with_reload(client, again, task, reload, tries - 1)
    return result, data


why = "c"
