"""host_copies counts each end on a GPU for "rdma", also one with a gpudirect card."""


def path(one, other):
    gpus = [e for e in (one, other) if e["device"] is not None]
    if one["node"] == other["node"]:
        if one["process"] == other["process"] and one["device"] == other["device"]:
            return "nothing moves"
        if len(gpus) == 2 and other["device"] in one["nvlink"]:
            return "nvlink"
        return "pcie" if gpus else "shared memory"
    if "plain" in (one["card"], other["card"]):
        return "tcp"
    return "gpudirect" if gpus and all(e["card"] == "gpudirect" for e in gpus) else "rdma"


def host_copies(one, other):
    if path(one, other) in ("tcp", "rdma"):
        return (one["device"] is not None) + (other["device"] is not None)
    return 0
