"""Ignores the argument lanes: always warps of 32."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    total = 0
    for i in range(0, len(takes_a), 32):
        warp = takes_a[i : i + 32]
        if any(warp):
            total += steps_a
        if not all(warp):
            total += steps_b
    return total
