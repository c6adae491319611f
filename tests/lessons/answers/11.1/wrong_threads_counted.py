"""The work of all threads, divided by the lanes: as if no lane ever waited."""

import math


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    a = int(takes_a.sum())
    return math.ceil((a * steps_a + (len(takes_a) - a) * steps_b) / lanes)
