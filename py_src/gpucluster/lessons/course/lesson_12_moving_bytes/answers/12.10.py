import copy

# %% right dask
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

# %% right pop: Style: a deep copy, pop and a loop that goes up.
WAYS = [(("distributed", "comm", "ucx"), ()), (("distributed", "rmm", "pool-size"), ("rmm", "pool-size"))]


def _merge(target, source):
    for key in source:
        if isinstance(target.get(key), dict) and isinstance(source[key], dict):
            _merge(target[key], source[key])
        else:
            target.setdefault(key, source[key])


def migrate(config):
    result = copy.deepcopy(config)
    for old, new in WAYS:
        chain = [result]
        for name in old[:-1]:
            chain.append(chain[-1].get(name) if isinstance(chain[-1], dict) else None)
        if not isinstance(chain[-1], dict) or old[-1] not in chain[-1]:
            continue
        value = chain[-1].pop(old[-1])
        for depth in range(len(old) - 1, 0, -1):
            if chain[depth]:
                break
            del chain[depth - 1][old[depth - 1]]
        for name in reversed(new):
            value = {name: value}
        if value:
            _merge(result.setdefault("distributed-ucxx", {}), value)
    return result

# %% right rebuild
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

# %% wrong always_made, edit of the solution
# fails: No distributed-ucxx is created if nothing moves
# ~ if moved: => if True:

# %% wrong empty_left, edit of the solution
# fails: All other settings stay, and moved ones leave no empty section
# -     if had_ucx and not comm:
# -         del distributed["comm"]

# %% wrong not_merged_inside, edit of the solution
# fails: UCX settings are under distributed-ucxx, and existing ones stay
# -             if isinstance(value, dict) and isinstance(today.get(name), dict):
# -                 today[name] = {**value, **today[name]}
# -             else:
# -                 today.setdefault(name, value)
# +             today.setdefault(name, value)

# %% wrong still_under_comm, edit of the solution
# fails: UCX settings are under distributed-ucxx, and existing ones stay
# ~ distributed-ucxx => distributed", {}).setdefault("comm", {}).setdefault("ucxx
