"""Style: flattens into paths (empty dictionaries are leaves), moves paths, and builds the tree again."""

UCX = ("distributed", "comm", "ucx")
POOL = ("distributed", "rmm", "pool-size")
NEW = "distributed-ucxx"


def _leaves(tree, way=()):
    if isinstance(tree, dict) and tree:
        for name, value in tree.items():
            yield from _leaves(value, way + (name,))
    else:
        yield way, ({} if isinstance(tree, dict) else list(tree) if isinstance(tree, list) else tree)


def _put(tree, way, value):
    for name in way[:-1]:
        if name not in tree:
            tree[name] = {}
        tree = tree[name]
        if not isinstance(tree, dict):
            return
    tree.setdefault(way[-1], value)


def migrate(config):
    stay, ucx, pool = [], [], []
    for way, value in _leaves(config):
        if way[:3] == UCX:
            if len(way) > 3:
                ucx.append(((NEW,) + way[3:], value))
            elif value != {}:
                stay.append((way, value))
        elif way[:3] == POOL:
            pool.append(((NEW, "rmm", "pool-size") + way[3:], value))
        else:
            stay.append((way, value))
    result = {}
    for way, value in stay + ucx + pool:
        if way:
            _put(result, way, value)
    return result
