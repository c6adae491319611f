"""Sorts the options."""


def repair(command, scheduler):
    options, words = [], command.split()[1:]
    for word in words:
        if word.startswith("--"):
            options.append([word])
        elif word != "&":
            options[-1].append(word)
    names = {one[0].split("=")[0] for one in options}
    gone = {"--enable-jit-unspill", "--disable-jit-unspill"} | (
        {"--rmm-pool-size"} if "--rmm-async" in names else set()
    )
    kept = sorted(one for one in options if one[0].split("=")[0] not in gone)
    end = ["&"] if words and words[-1] == "&" else []
    return " ".join(["dask", "cuda", "worker", scheduler, *(word for one in kept for word in one), *end])
