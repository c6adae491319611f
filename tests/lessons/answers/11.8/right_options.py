"""Reads options with their values, then writes them again with =."""

import shlex


def repair(command, scheduler):
    words = shlex.split(command)[1:]
    background = bool(words) and words[-1] == "&"
    if background:
        words.pop()
    options = []
    for word in words:
        if word.startswith("--"):
            options.append(word.split("=", 1))
        else:
            options[-1].append(word)
    gone = {"--enable-jit-unspill", "--disable-jit-unspill"}
    if any(option[0] == "--rmm-async" for option in options):
        gone.add("--rmm-pool-size")
    kept = ["=".join(option) for option in options if option[0] not in gone]
    return " ".join(["dask cuda worker", scheduler, *kept, *(["&"] if background else [])])
