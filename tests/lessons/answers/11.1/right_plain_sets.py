"""Style: plain Python loop, the set of sides in each slice."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    threads = [bool(one) for one in takes_a]
    total = 0
    for begin in range(0, len(threads), lanes):
        sides = set(threads[begin : begin + lanes])
        if True in sides:
            total += steps_a
        if False in sides:
            total += steps_b
    return total
