"""Most threads decide."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    total = 0
    for begin in range(0, len(takes_a), lanes):
        warp = takes_a[begin : begin + lanes]
        total += steps_a if warp.mean() >= 0.5 else steps_b
    return total
