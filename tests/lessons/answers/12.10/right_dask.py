import copy

from dask.config import update


def migrate(config):
    new = copy.deepcopy(config)
    moved = {}
    try:
        moved = new["distributed"]["comm"].pop("ucx")
        if not new["distributed"]["comm"]:
            new["distributed"].pop("comm")
    except KeyError:
        pass
    try:
        size = new["distributed"]["rmm"].pop("pool-size")
        moved.setdefault("rmm", {})["pool-size"] = size
        if not new["distributed"]["rmm"]:
            new["distributed"].pop("rmm")
    except KeyError:
        pass
    if new.get("distributed") == {}:
        new.pop("distributed")
    if moved:
        new["distributed-ucxx"] = update(new.get("distributed-ucxx", {}), moved, priority="old")
    return new
