"""Style: nested ifs, early returns, no shared helper."""


def path(one, other):
    if one["node"] == other["node"]:
        if one["process"] == other["process"] and one["device"] == other["device"]:
            return "nothing moves"
        if one["device"] is None and other["device"] is None:
            return "shared memory"
        if one["device"] is None or other["device"] is None:
            return "pcie"
        if one["device"] in other["nvlink"] or other["device"] in one["nvlink"]:
            return "nvlink"
        return "pcie"
    if one["card"] == "plain" or other["card"] == "plain":
        return "tcp"
    if one["device"] is None and other["device"] is None:
        return "rdma"
    if one["device"] is not None and one["card"] != "gpudirect":
        return "rdma"
    if other["device"] is not None and other["card"] != "gpudirect":
        return "rdma"
    return "gpudirect"


def host_copies(one, other):
    if one["node"] == other["node"]:
        return 0
    copies = 0
    any_plain = one["card"] == "plain" or other["card"] == "plain"
    for end in [one, other]:
        if end["device"] is None:
            continue
        if any_plain or end["card"] == "rdma":
            copies += 1
    return copies
