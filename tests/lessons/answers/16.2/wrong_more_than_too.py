"""Wrong: more than so many right, not at least."""


def _exactly(chances):
    table = [1.0]
    for p in chances:
        table = [a * (1 - p) + b * p for a, b in zip(table + [0.0], [0.0] + table, strict=False)]
    return table


def luck(chances, right):
    return sum(_exactly(chances)[right + 1 :])


def pass_mark(chances, risk):
    return next((k for k in range(len(chances) + 1) if luck(chances, k) <= risk), len(chances) + 1)
