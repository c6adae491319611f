"""Both sides at the same time: the longer one counts."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    total = 0
    for begin in range(0, len(takes_a), lanes):
        warp = takes_a[begin : begin + lanes]
        total += max(steps_a * bool(warp.any()), steps_b * bool((~warp).any()))
    return total
