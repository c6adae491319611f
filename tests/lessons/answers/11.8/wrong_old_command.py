"""The command with hyphens."""


def repair(command, scheduler):
    old = command.split()[1:]
    new = ["dask-cuda-worker", scheduler]
    while old:
        word = old.pop(0)
        name = word.split("=")[0]
        if name in ("--enable-jit-unspill", "--disable-jit-unspill"):
            continue
        if name == "--rmm-pool-size" and "--rmm-async" in command.split():
            if "=" not in word:
                old.pop(0)
            continue
        new.append(word)
    return " ".join(new)
