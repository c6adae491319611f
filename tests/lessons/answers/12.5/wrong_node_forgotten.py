"""Looks for NVLink by the numbers of the GPUs without asking for the same node."""


def path(one, other):
    gpus = [e for e in (one, other) if e["device"] is not None]
    same = one["node"] == other["node"]
    if same and one["process"] == other["process"] and one["device"] == other["device"]:
        return "nothing moves"
    if len(gpus) == 2 and other["device"] in one["nvlink"]:
        return "nvlink"
    if same:
        return "pcie" if gpus else "shared memory"
    if "plain" in (one["card"], other["card"]):
        return "tcp"
    return "gpudirect" if gpus and all(e["card"] == "gpudirect" for e in gpus) else "rdma"


def host_copies(one, other):
    word = path(one, other)
    if word not in ("tcp", "rdma"):
        return 0
    return sum(e["device"] is not None and (word == "tcp" or e["card"] != "gpudirect") for e in (one, other))
