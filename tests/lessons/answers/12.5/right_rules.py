def path(one, other):
    devices = [e for e in (one, other) if e["device"] is not None]
    here = one["node"] == other["node"]
    itself = one["process"] == other["process"] and one["device"] == other["device"]
    linked = len(devices) == 2 and one["device"] in other["nvlink"]
    rules = (
        (here and itself, "nothing moves"),
        (here and linked, "nvlink"),
        (here and len(devices) > 0, "pcie"),
        (here, "shared memory"),
        ("plain" in {one["card"], other["card"]}, "tcp"),
        (bool(devices) and {e["card"] for e in devices} == {"gpudirect"}, "gpudirect"),
        (True, "rdma"),
    )
    return next(word for fits, word in rules if fits)


def host_copies(one, other):
    devices = [e for e in (one, other) if e["device"] is not None]
    counts = {"tcp": len(devices), "rdma": sum(e["card"] == "rdma" for e in devices)}
    return counts.get(path(one, other), 0)
