"""Wrong axis: deals the threads out to the warps like cards, instead of neighbours together."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    warps = -(-len(takes_a) // lanes)
    total = 0
    for w in range(warps):
        warp = takes_a[w::warps]
        total += steps_a * any(warp) + steps_b * (not all(warp))
    return total
