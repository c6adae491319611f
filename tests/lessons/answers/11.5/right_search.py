"""Style: binary search for the largest number of 256-byte units that still leaves everything free."""


def pool_size(card_mib, n_processes, context_mb=500):
    card = card_mib * 2**20

    def fits(units):
        return 10 * (256 * units + n_processes * context_mb * 10**6) + card <= 10 * card

    low, high = 0, card // 256 + 1
    if not fits(0):
        return 0
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low * 256
