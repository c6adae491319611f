"""Sorts the threads, in place: fewer steps, but not those that were asked for."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    takes_a.sort()
    total = 0
    for begin in range(0, len(takes_a), lanes):
        warp = takes_a[begin : begin + lanes]
        total += steps_a * bool(warp.any()) + steps_b * bool((~warp).any())
    return total
