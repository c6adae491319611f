def path(one, other):
    same_node = one["node"] == other["node"]
    gpus = [e["device"] is not None for e in (one, other)]
    if same_node and one["process"] == other["process"] and one["device"] == other["device"]:
        return "nothing moves"
    if same_node and all(gpus) and other["device"] in one["nvlink"]:
        return "nvlink"
    if same_node and any(gpus):
        return "pcie"
    if same_node:
        return "shared memory"
    if one["card"] == "plain" or other["card"] == "plain":
        return "tcp"
    if not any(gpus):
        return "rdma"
    for end, on_gpu in zip((one, other), gpus, strict=False):
        if on_gpu and end["card"] != "gpudirect":
            return "rdma"
    return "gpudirect"


def host_copies(one, other):
    word = path(one, other)
    copies = 0
    for end in (one, other):
        if end["device"] is None:
            continue
        if word == "tcp" or (word == "rdma" and end["card"] == "rdma"):
            copies += 1
    return copies
