"""The empty lanes of the last warp count as threads of side b."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    total = 0
    for begin in range(0, len(takes_a), lanes):
        warp = takes_a[begin : begin + lanes]
        total += steps_a * bool(warp.any()) + steps_b * bool(warp.sum() < lanes)
    return total
