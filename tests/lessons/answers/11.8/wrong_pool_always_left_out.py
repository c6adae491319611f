"""Leaves the pool size out even without --rmm-async."""

import re


def repair(command, scheduler):
    new = command.replace("dask-cuda-worker", "dask cuda worker " + scheduler)
    new = re.sub(r"\s--(enable|disable)-jit-unspill", "", new)
    return re.sub(r"\s--rmm-pool-size(=|\s+)\S+", "", new)
