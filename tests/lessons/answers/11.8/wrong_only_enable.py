"""Leaves out --enable-jit-unspill only, half of the second rule."""

import re


def repair(command, scheduler):
    new = command.replace("dask-cuda-worker", "dask cuda worker " + scheduler)
    new = new.replace(" --enable-jit-unspill", "")
    if "--rmm-async" in new.split():
        new = re.sub(r"\s--rmm-pool-size(=|\s+)\S+", "", new)
    return new
