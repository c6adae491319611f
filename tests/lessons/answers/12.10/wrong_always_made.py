import copy


def migrate(config):
    new = copy.deepcopy(config)
    distributed = new.get("distributed", {})
    comm, rmm = distributed.get("comm", {}), distributed.get("rmm", {})
    had_ucx = "ucx" in comm
    moved = comm.pop("ucx", {})
    if had_ucx and not comm:
        del distributed["comm"]
    if "pool-size" in rmm:
        moved.setdefault("rmm", {})["pool-size"] = rmm.pop("pool-size")
        if not rmm:
            del distributed["rmm"]
    if "distributed" in new and not distributed:
        del new["distributed"]
    if True:
        today = new.setdefault("distributed-ucxx", {})
        for name, value in moved.items():
            if isinstance(value, dict) and isinstance(today.get(name), dict):
                today[name] = {**value, **today[name]}
            else:
                today.setdefault(name, value)
    return new
