def without(tree, name):
    return {key: value for key, value in tree.items() if key != name}


def migrate(config):
    distributed = dict(config.get("distributed", {}))
    moved = {}
    if "ucx" in distributed.get("comm", {}):
        moved.update(distributed["comm"]["ucx"])
        distributed["comm"] = without(distributed["comm"], "ucx")
        if not distributed["comm"]:
            distributed.pop("comm")
    if "pool-size" in distributed.get("rmm", {}):
        moved["rmm"] = dict(moved.get("rmm", {}), **{"pool-size": distributed["rmm"]["pool-size"]})
        distributed["rmm"] = without(distributed["rmm"], "pool-size")
        if not distributed["rmm"]:
            distributed.pop("rmm")
    new = without(config, "distributed")
    if distributed:
        new["distributed"] = distributed
    present = config.get("distributed-ucxx", {})
    joined = {**moved, **present}
    for name in moved.keys() & present.keys():
        if isinstance(moved[name], dict) and isinstance(present[name], dict):
            joined[name] = {**moved[name], **present[name]}
    if joined:
        new["distributed-ucxx"] = joined
    return new
