"""Makes an empty "distributed-ucxx" even if nothing moves."""

import copy


def _fill(have, more):
    for name, value in more.items():
        if name not in have:
            have[name] = value
        elif isinstance(have[name], dict) and isinstance(value, dict):
            _fill(have[name], value)


def migrate(config):
    new = copy.deepcopy(config)
    d = new.get("distributed", {})
    target, touched = new.setdefault("distributed-ucxx", {}), False
    if "ucx" in d.get("comm", {}):
        touched = True
        _fill(target, d["comm"].pop("ucx"))
        if not d["comm"]:
            del d["comm"]
    if "pool-size" in d.get("rmm", {}):
        touched = True
        _fill(target, {"rmm": {"pool-size": d["rmm"].pop("pool-size")}})
        if not d["rmm"]:
            del d["rmm"]
    if touched and not d:
        del new["distributed"]
    return new
