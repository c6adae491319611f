"""Works on a shallow copy, so that config itself is changed."""


def _fill(have, more):
    for name, value in more.items():
        if name not in have:
            have[name] = value
        elif isinstance(have[name], dict) and isinstance(value, dict):
            _fill(have[name], value)


def migrate(config):
    new = dict(config)
    d = new.get("distributed", {})
    moved, touched = {}, False
    if "ucx" in d.get("comm", {}):
        touched = True
        _fill(moved, d["comm"].pop("ucx"))
        if not d["comm"]:
            del d["comm"]
    if "pool-size" in d.get("rmm", {}):
        touched = True
        _fill(moved, {"rmm": {"pool-size": d["rmm"].pop("pool-size")}})
        if not d["rmm"]:
            del d["rmm"]
    if touched and not d:
        del new["distributed"]
    if moved:
        _fill(new.setdefault("distributed-ucxx", {}), moved)
    return new
