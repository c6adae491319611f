"""Regular expressions with care for what is around a name."""

import re


def repair(command, scheduler):
    command = re.sub(r"^dask-cuda-worker", f"dask cuda worker {scheduler}", command)
    command = re.sub(r" --(en|dis)able-jit-unspill(?=\s|$)", "", command)
    if re.search(r"(?<=\s)--rmm-async(?=\s|$)", command):
        command = re.sub(r" --rmm-pool-size[ =]\S+", "", command)
    return command
