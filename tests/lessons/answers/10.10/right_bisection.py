"""Right: doubling and bisection."""


def idle_share(stages, micro_batches):
    return 1 - micro_batches / (micro_batches + stages - 1) if stages > 1 else 0.0


def micro_batches_for(stages, most_idle):
    def enough(m):
        return stages == 1 or (stages - 1) / (m + stages - 1) <= most_idle

    low, high = 0, 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
