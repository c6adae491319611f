"""The number of the lesson's own threads."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    return 64
