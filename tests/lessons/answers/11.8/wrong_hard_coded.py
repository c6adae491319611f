"""The lesson's own line."""


def repair(command, scheduler):
    return f"dask cuda worker {scheduler} --protocol ucx --rmm-async"
