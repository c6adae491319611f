"""Style: pure functions that rebuild dictionaries, nothing is deleted."""

from copy import deepcopy


def _fill(have, more):
    out = dict(have)
    for name, value in more.items():
        if name not in out:
            out[name] = value
        elif isinstance(out[name], dict) and isinstance(value, dict):
            out[name] = _fill(out[name], value)
    return out


def _without(tree, names):
    """Tree without the entry at names; None if it became empty."""
    head, *tail = names
    out = {}
    for name, value in tree.items():
        if name != head:
            out[name] = value
        elif tail:
            value = _without(value, tail)
            if value is not None:
                out[name] = value
    return out or None


def _at(tree, names):
    for name in names:
        if not isinstance(tree, dict) or name not in tree:
            return None, False
        tree = tree[name]
    return tree, True


def migrate(config):
    new = deepcopy(config)
    moved = {}
    ucx, there = _at(new, ["distributed", "comm", "ucx"])
    if there and isinstance(ucx, dict):
        moved = _fill(moved, ucx)
        new = _without(new, ["distributed", "comm", "ucx"]) or {}
    size, there = _at(new, ["distributed", "rmm", "pool-size"])
    if there:
        moved = _fill(moved, {"rmm": {"pool-size": size}})
        new = _without(new, ["distributed", "rmm", "pool-size"]) or {}
    if moved:
        new["distributed-ucxx"] = _fill(new.get("distributed-ucxx", {}), moved)
    return new
