def path(one, other):
    a, b = one["device"], other["device"]
    if one["node"] != other["node"]:
        if "plain" in [one["card"], other["card"]]:
            return "TCP"
        direct_a = a is None or one["card"] == "gpudirect"
        direct_b = b is None or other["card"] == "gpudirect"
        return "GPUDirect" if direct_a and direct_b and not (a is None and b is None) else "RDMA"
    if (one["process"], a) == (other["process"], b):
        return "nothing moves"
    if a is None and b is None:
        return "shared memory"
    if a is not None and b is not None and b in set(one["nvlink"]):
        return "NVLink"
    return "PCIe"


def host_copies(one, other):
    if one["node"] == other["node"]:
        return 0
    staged = 0
    plain = "plain" in [one["card"], other["card"]]
    for end in (one, other):
        if end["device"] is not None and (plain or end["card"] != "gpudirect"):
            staged += 1
    return staged
