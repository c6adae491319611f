"""Leaves out the pool size only if --rmm-async came before it, because it decides word by word."""


def repair(command, scheduler):
    words = command.split()
    new, i = [], 0
    while i < len(words):
        w = words[i]
        if w == "dask-cuda-worker":
            new += ["dask", "cuda", "worker", scheduler]
        elif w in ("--enable-jit-unspill", "--disable-jit-unspill"):
            pass
        elif "--rmm-async" in new and w == "--rmm-pool-size":
            i += 1
        elif "--rmm-async" in new and w.startswith("--rmm-pool-size="):
            pass
        else:
            new.append(w)
        i += 1
    return " ".join(new)
