"""Warps always have 32 lanes here."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    total = 0
    for begin in range(0, len(takes_a), 32):
        warp = takes_a[begin : begin + 32]
        total += steps_a * bool(warp.any()) + steps_b * bool((~warp).any())
    return total
