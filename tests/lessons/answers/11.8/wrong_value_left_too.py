"""Leaves out the word --rmm-pool-size, but not a value that follows after a space."""


def repair(command, scheduler):
    words = command.split()
    new = []
    for w in words:
        if w == "dask-cuda-worker":
            new += ["dask cuda worker", scheduler]
        elif "jit-unspill" in w or w.startswith("--rmm-pool-size") and "--rmm-async" in words:
            pass
        else:
            new.append(w)
    return " ".join(new)
