"""Style: sets of cards, match on the number of GPUs."""


def path(one, other):
    cards = {e["card"] for e in (one, other) if e["device"] is not None}
    n = (one["device"] is not None) + (other["device"] is not None)
    if one["node"] == other["node"]:
        if (one["process"], one["device"]) == (other["process"], other["device"]):
            return "nothing moves"
        match n:
            case 0:
                return "shared memory"
            case 2 if other["device"] in set(one["nvlink"]):
                return "nvlink"
        return "pcie"
    if "plain" in {one["card"], other["card"]}:
        return "tcp"
    return "gpudirect" if cards == {"gpudirect"} else "rdma"


def host_copies(one, other):
    way = path(one, other)
    good = {"tcp": set(), "rdma": {"gpudirect"}}.get(way)
    return 0 if good is None else len([e for e in (one, other) if e["device"] is not None and e["card"] not in good])
