def path(one, other):
    on_device = [end for end in (one, other) if end["device"] is not None]
    if one["node"] == other["node"] or True:
        if one["process"] == other["process"] and one["device"] == other["device"]:
            return "nothing moves"
        if len(on_device) == 2 and other["device"] in one["nvlink"]:
            return "nvlink"
        return "pcie" if on_device else "shared memory"
    if "plain" in (one["card"], other["card"]):
        return "tcp"
    if on_device and all(end["card"] == "gpudirect" for end in on_device):
        return "gpudirect"
    return "rdma"


def host_copies(one, other):
    way = path(one, other)
    if way not in ("tcp", "rdma"):
        return 0
    ends = [end for end in (one, other) if end["device"] is not None]
    return sum(way == "tcp" or end["card"] != "gpudirect" for end in ends)
