# %% right rules
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

# %% right sets: Style: sets of cards, match on the number of GPUs.
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

# %% wrong any_gpudirect, edit of the solution
# fails: The twelve pairs of the table are right
# ~ and all => and any

# %% wrong both_cards, edit of the solution: Wants a gpudirect card at both ends, even at one whose data is in host memory.
# fails: Other pairs are right as well
# ~ all(end["card"] == "gpudirect" for end in on_device): => all(end["card"] == "gpudirect" for end in (one, other)):

# %% wrong copies_for_hosts, edit of the solution
# fails: Copies through host memory are counted
# ~ ends = [end for end in (one, other) if end["device"] is not None] => ends = [one, other]

# %% wrong device_zero: Takes GPU number 0 for no GPU (truth value of the device).
# fails: The twelve pairs of the table are right
# -     devices = [e for e in (one, other) if e["device"] is not None]
# -     here = one["node"] == other["node"]
# +     devices = [e for e in (one, other) if e["device"]]
# +     here = one["node"] == other["node"]

# %% wrong gpudirect_for_hosts, edit of the solution
# fails: The twelve pairs of the table are right
# ~ if on_device and all => if all

# %% wrong nvlink_between_nodes, edit of the solution
# fails: Copies through host memory are counted
# -         return "pcie" if on_device else "shared memory"
# +         return "pcie" if on_device else "shared memory"
# +     if len(on_device) == 2 and other["device"] in one["nvlink"]:
# +         return "nvlink"
