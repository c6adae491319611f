"""Style: a list of (condition, word), the first that holds; host_copies by sum over both ends."""


def path(one, other):
    ends = (one, other)
    gpus = [e for e in ends if e["device"] is not None]
    same = one["node"] == other["node"]
    rows = [
        (same and one["process"] == other["process"] and one["device"] == other["device"], "nothing moves"),
        (same and len(gpus) == 2 and other["device"] in one["nvlink"], "nvlink"),
        (same and len(gpus) > 0, "pcie"),
        (same, "shared memory"),
        ("plain" in [e["card"] for e in ends], "tcp"),
        (gpus and all(e["card"] == "gpudirect" for e in gpus), "gpudirect"),
        (True, "rdma"),
    ]
    return next(word for holds, word in rows if holds)


def host_copies(one, other):
    word = path(one, other)
    if word not in ("tcp", "rdma"):
        return 0
    return sum(e["device"] is not None and (word == "tcp" or e["card"] != "gpudirect") for e in (one, other))
