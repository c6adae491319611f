"""Where both have a dictionary of the same name, the moved one is dropped as a whole."""

import copy


def migrate(config):
    new = copy.deepcopy(config)
    d = new.get("distributed", {})
    moved, touched = {}, False
    if "ucx" in d.get("comm", {}):
        touched = True
        moved.update(d["comm"].pop("ucx"))
        if not d["comm"]:
            del d["comm"]
    if "pool-size" in d.get("rmm", {}):
        touched = True
        moved.setdefault("rmm", {}).setdefault("pool-size", d["rmm"].pop("pool-size"))
        if not d["rmm"]:
            del d["rmm"]
    if touched and not d:
        del new["distributed"]
    if moved:
        target = new.setdefault("distributed-ucxx", {})
        for name, value in moved.items():
            target.setdefault(name, value)
    return new
