"""Style: a generator of states, itertools.accumulate, zip; lists instead of arrays."""

from itertools import accumulate


def _changes(events):
    open_ = []
    for event in events:
        if event[0] == "allocate":
            open_.append((event[1], event[2]))
            yield event[2], 1
        else:
            position = next(i for i, (name, _) in enumerate(open_) if name == event[1])
            yield -open_.pop(position)[1], -1


def statistics(events):
    changes = list(_changes(events))
    result = {}
    for unit, column in zip(("bytes", "count"), ([c[0] for c in changes], [c[1] for c in changes]), strict=False):
        history = list(accumulate(column, initial=0))
        result[f"current_{unit}"] = history[-1]
        result[f"peak_{unit}"] = max(history)
        result[f"total_{unit}"] = sum(c[unit == "count"] for c in changes if c[1] == 1)
    return result
