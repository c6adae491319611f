"""Knows only values after a space; --rmm-pool-size=30GB stays."""


def repair(command, scheduler):
    words = command.split()
    is_async = "--rmm-async" in words
    new, skip = [], False
    for w in words:
        if skip:
            skip = False
        elif w == "dask-cuda-worker":
            new += ["dask", "cuda", "worker", scheduler]
        elif w in ("--enable-jit-unspill", "--disable-jit-unspill"):
            pass
        elif w == "--rmm-pool-size" and is_async:
            skip = True
        else:
            new.append(w)
    return " ".join(new)
