"""Style: option and value are grouped into tuples by a generator first, then groups are filtered."""


def _groups(words):
    group = []
    for word in words:
        if group and (word.startswith("--") or word == "&"):
            yield tuple(group)
            group = []
        group.append(word)
    if group:
        yield tuple(group)


def repair(command, scheduler):
    groups = list(_groups(command.replace("=", "= ").split()))
    names = [group[0].rstrip("=") for group in groups]
    drop = {"--enable-jit-unspill", "--disable-jit-unspill"} | (
        {"--rmm-pool-size"} if "--rmm-async" in names else set()
    )
    kept = []
    for group, name in zip(groups, names, strict=False):
        kept += group if name not in drop else group[1 + ("pool" in name) :]
    text = " ".join(kept).replace("= ", "=")
    return text.replace("dask-cuda-worker", "dask cuda worker " + scheduler, 1)
