"""Only full warps are counted."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    total = 0
    for number in range(len(takes_a) // lanes):
        warp = takes_a[number * lanes : (number + 1) * lanes]
        total += steps_a * bool(warp.any()) + steps_b * bool((~warp).any())
    return total
