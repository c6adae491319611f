"""Right: a table in place, from the top down, marks searched from above."""

import math


def _exactly(chances):
    table = [1.0]
    for p in chances:
        table.append(0.0)
        for k in range(len(table) - 1, 0, -1):
            table[k] = table[k] * (1 - p) + table[k - 1] * p
        table[0] *= 1 - p
    return table


def luck(chances, right):
    return min(1.0, math.fsum(_exactly(chances)[right:])) if right > 0 else 1.0


def pass_mark(chances, risk):
    mark = len(chances) + 1
    while mark > 0 and luck(chances, mark - 1) <= risk:
        mark -= 1
    return mark
