"""Counts the steps of each lane: multiplies by the number of threads of the warp."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    total = 0
    for i in range(0, len(takes_a), lanes):
        warp = takes_a[i : i + lanes]
        steps = 0
        if any(warp):
            steps += steps_a
        if not all(warp):
            steps += steps_b
        total += steps * len(warp)
    return total
