"""Style: a list of words that is eaten from the front with pop, like a small parser."""


def repair(command, scheduler):
    words = command.split()
    is_async = "--rmm-async" in words
    result = []
    while words:
        word = words.pop(0)
        if word == "dask-cuda-worker":
            result += ["dask", "cuda", "worker", scheduler]
        elif word in {"--enable-jit-unspill", "--disable-jit-unspill"}:
            continue
        elif is_async and word == "--rmm-pool-size":
            words.pop(0)
        elif is_async and word.startswith("--rmm-pool-size="):
            continue
        else:
            result.append(word)
    return " ".join(result)
