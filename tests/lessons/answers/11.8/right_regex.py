"""Style: regular expressions on the text, no list of words."""

import re


def repair(command, scheduler):
    new = re.sub(r"(?<!\S)dask-cuda-worker(?!\S)", lambda _: f"dask cuda worker {scheduler}", command, count=1)
    new = re.sub(r"\s+--(enable|disable)-jit-unspill(?!\S)", "", new)
    if re.search(r"\s--rmm-async(?!\S)", new):
        new = re.sub(r"\s+--rmm-pool-size(=|\s+)\S+", "", new)
    return new
