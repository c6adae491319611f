import copy


def migrate(config):
    flat = {}

    def walk(tree, *names):
        for name, value in tree.items():
            place = (*names, name)
            inside = isinstance(value, dict) and value and place[:1] == ("distributed",) and len(place) < 3
            if inside:
                walk(value, *place)
            elif isinstance(value, dict) and place == ("distributed", "comm", "ucx"):
                flat.update({("distributed-ucxx", key): copy.deepcopy(one) for key, one in value.items()})
            else:
                flat[place] = copy.deepcopy(value)

    walk(config)
    if ("distributed", "rmm", "pool-size") in flat:
        size = flat.pop(("distributed", "rmm", "pool-size"))
        flat.setdefault(("distributed-ucxx", "rmm"), {})["pool-size"] = size
    new = {}
    there = flat.pop(("distributed-ucxx",), None)
    for place, value in flat.items():
        tree = new
        for name in place[:-1]:
            tree = tree.setdefault(name, {})
        tree[place[-1]] = value
    if there is not None:
        moved = new.get("distributed-ucxx", {})
        for name, value in there.items():
            both = isinstance(value, dict) and isinstance(moved.get(name), dict)
            moved[name] = {**moved[name], **value} if both else value
        new["distributed-ucxx"] = moved
    return new
