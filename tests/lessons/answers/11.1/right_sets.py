"""The set of sides that each warp takes, with plain Python."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    cost = {True: steps_a, False: steps_b}
    sides = {(place // lanes, bool(side)) for place, side in enumerate(takes_a)}
    return sum(cost[side] for _, side in sides)
