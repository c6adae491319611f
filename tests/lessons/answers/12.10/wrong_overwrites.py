"""A moved option overwrites one that "distributed-ucxx" has already."""

import copy


def migrate(config):
    new = copy.deepcopy(config)
    d = new.get("distributed", {})
    moved = {}
    if "ucx" in d.get("comm", {}):
        moved.update(d["comm"].pop("ucx"))
        if not d["comm"]:
            del d["comm"]
    if "pool-size" in d.get("rmm", {}):
        moved.setdefault("rmm", {})["pool-size"] = d["rmm"].pop("pool-size")
        if not d["rmm"]:
            del d["rmm"]
    if "distributed" in new and not d and config["distributed"]:
        del new["distributed"]
    if moved:
        new.setdefault("distributed-ucxx", {}).update(moved)
    return new
