"""A card that is too small gives a negative size instead of 0."""


def pool_size(card_mib, n_processes, context_mb=500):
    left = card_mib * 2**20 * 9 // 10 - n_processes * context_mb * 10**6
    return left // 256 * 256
