"""Style: recursion that halves the list of warps (the depth grows with the logarithm only)."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    if len(takes_a) == 0:
        return 0
    if len(takes_a) <= lanes:
        return steps_a * any(takes_a) + steps_b * (not all(takes_a))
    warps = -(-len(takes_a) // lanes)
    middle = warps // 2 * lanes
    return warp_steps(takes_a[:middle], steps_a, steps_b, lanes) + warp_steps(takes_a[middle:], steps_a, steps_b, lanes)
