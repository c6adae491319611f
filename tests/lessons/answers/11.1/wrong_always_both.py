"""Each warp goes through both sides, whatever its threads do."""


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    total = 0
    for _ in range(0, len(takes_a), lanes):
        total += steps_a + steps_b
    return total
