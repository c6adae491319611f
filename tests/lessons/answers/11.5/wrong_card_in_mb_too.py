"""Units: takes the MiB of the card for MB."""


def pool_size(card_mib, n_processes, context_mb=500):
    left = card_mib * 10**6 * 9 // 10 - n_processes * context_mb * 10**6
    return max(0, left // 256 * 256)
