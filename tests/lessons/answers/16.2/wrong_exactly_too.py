"""Wrong: the probability of exactly so many right."""


def _exactly(chances):
    table = [1.0]
    for p in chances:
        table = [a * (1 - p) + b * p for a, b in zip(table + [0.0], [0.0] + table, strict=False)]
    return table


def luck(chances, right):
    table = _exactly(chances)
    return table[right] if 0 <= right < len(table) else 0.0


def pass_mark(chances, risk):
    return next((k for k in range(len(chances) + 1) if luck(chances, k) <= risk), len(chances) + 1)
