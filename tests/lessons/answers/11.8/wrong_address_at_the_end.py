"""Puts the address at the end, behind the options and the &, instead of after the command."""

import re


def repair(command, scheduler):
    new = command.replace("dask-cuda-worker", "dask cuda worker")
    new = re.sub(r"\s--(enable|disable)-jit-unspill(?!\S)", "", new)
    if "--rmm-async" in new.split():
        new = re.sub(r"\s--rmm-pool-size(=|\s+)\S+", "", new)
    return new + " " + scheduler
