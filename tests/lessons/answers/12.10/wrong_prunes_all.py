"""Also removes empty dictionaries that were there before and have nothing to do with it."""

import copy


def _fill(have, more):
    for name, value in more.items():
        if name not in have:
            have[name] = value
        elif isinstance(have[name], dict) and isinstance(value, dict):
            _fill(have[name], value)


def _prune(tree):
    if not isinstance(tree, dict):
        return tree
    out = {name: _prune(value) for name, value in tree.items()}
    return {name: value for name, value in out.items() if value != {}}


def migrate(config):
    new = copy.deepcopy(config)
    d = new.get("distributed", {})
    moved = {}
    _fill(moved, d.get("comm", {}).pop("ucx", {}))
    if "pool-size" in d.get("rmm", {}):
        _fill(moved, {"rmm": {"pool-size": d["rmm"].pop("pool-size")}})
    if moved:
        _fill(new.setdefault("distributed-ucxx", {}), moved)
    return _prune(new)
