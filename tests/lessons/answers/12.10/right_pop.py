"""Style: a deep copy, pop and a loop that goes up."""

import copy

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
