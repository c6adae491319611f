"""Units: takes the MB of a context for MiB."""


def pool_size(card_mib, n_processes, context_mb=500):
    left = card_mib * 2**20 * 9 // 10 - n_processes * context_mb * 2**20
    return max(0, left // 256 * 256)
